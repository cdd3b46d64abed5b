// --- the smallest single change that changes the class
const likeMany = (attribute) => {
  // a value that has the code of those that were not seen in training
  let value = attribute.kind === "text" || attribute.kind === "mixed" ? "?" : 0.5;
  while (attribute.codes.has(typeof value === "string" ? `'${value}` : String(value)))
    value += typeof value === "string" ? "?" : 1;
  return value;
};
const changesOf = (fields, row, scored) => {
  const { attributes, pairs } = calculator;
  const touching = attributes.map(() => []);
  for (const [p, pair] of pairs.entries()) for (const j of pair.of) touching[j].push(p);
  const total = (rows) => rows.reduce((sum, n) => sum + n, 0) || 1;
  const middles = (rows) => {
    let sum = 0;
    const all = total(rows);
    return rows.map((n) => {
      sum += n;
      return (sum - n / 2) / all;
    });
  };
  const jointWith = (changed) => {
    const codes = scored.codes.slice();
    for (const [j, code] of changed) codes[j] = code;
    const joint = scored.joint.slice();
    for (const [j, code] of changed)
      for (let c = 0; c < K; c++) joint[c] += attributes[j].scores[code][c] - attributes[j].scores[scored.codes[j]][c];
    for (const p of new Set(changed.flatMap(([j]) => touching[j]))) {
      const pair = pairs[p];
      const [rows, columns] = pair.shape;
      const cell = (of) => {
        const [a, b] = pair.of.map((j, side) => pair.groups[side][of[j]]);
        return pair.scores[a < rows && b < columns ? a * columns + b : rows * columns];
      };
      const [now, then] = [cell(scored.codes), cell(codes)];
      for (let c = 0; c < K; c++) joint[c] += then[c] - now[c];
    }
    return joint;
  };
  const offers = [];
  for (const field of fields) {
    const j = field.attributes[0];
    const attribute = attributes[j];
    const rows = D.whatIf.codeRows[j];
    let best = null;
    const consider = (changed, cost, value, words) => {
      if (best !== null && cost >= best.cost) return;
      const joint = jointWith(changed);
      const position = scoring.positionOf(calculator, joint);
      if (position !== scored.position) best = { field, cost, value, words, position, joint };
    };
    if (field.kind === "menu") {
      const all = total(rows);
      attribute.categories.forEach((category, code) => {
        const value = fromJson(category);
        if (code !== scored.codes[j])
          consider([[j, code]], 1 - rows[code] / all, value, `were ${shorten(categoryText(value, attribute), 40)}`);
      });
    } else if (field.kind === "number" || field.kind === "time") {
      const at = middles(rows.slice(0, attribute.cuts.length + 1));
      const here = row[attribute.column] === null ? null : scored.codes[j];
      const say = (cut) =>
        field.kind === "time" ? moment(cut, "time") : field.whole ? Math.ceil(cut) : Number(cut.toPrecision(6));
      for (let code = 0; code <= attribute.cuts.length; code++) {
        if (code === here || (here === null && code === scored.codes[j])) continue;
        const cost = here === null ? 1 : Math.abs(at[code] - at[here]);
        const up = here === null ? code > 0 : code > here;
        const cut = up ? attribute.cuts[code - 1] : attribute.cuts[code];
        const below = code === 0 ? cut - (field.high - field.low) / 1000 : (attribute.cuts[code - 1] + cut) / 2;
        const value = field.whole ? (up ? Math.ceil(cut) : Math.ceil(cut) - 1) : up ? cut : below;
        if (cut !== undefined)
          consider(
            [[j, code]],
            cost,
            field.kind === "time" ? moment(value, "time") : value,
            up ? `were ${say(cut)} or more` : `were below ${say(cut)}`,
          );
      }
    } else if (row[attribute.column] !== null) {
      const days = Math.round(Date.parse(`${String(row[attribute.column]).slice(0, 10)}T00:00Z`) / 86400000);
      const clock = String(row[attribute.column]).slice(10);
      const range = Math.max(field.high - field.low, 1);
      for (let by = 1; by <= Math.min(range, 730) && best === null; by++)
        for (const day of [days + by, days - by]) {
          if (day < Math.floor(field.low) || day > Math.ceil(field.high)) continue;
          const value = `${moment(day, "date")}${clock}`;
          const changed = field.attributes.map((k) => [
            k,
            scoring.codesOf({ attributes: [attributes[k]] }, { [attribute.column]: value })[0],
          ]);
          consider(changed, by / range, value, `were ${value.replace("T", " ")}`);
        }
    }
    if (best !== null) offers.push(best);
  }
  return offers.sort((a, b) => a.cost - b.cost).slice(0, 3);
};
