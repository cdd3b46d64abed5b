// The verdict's classes, and the waterfall: how the contributions of a row add up to the difference of two classes.
const setUpClasses = () => {
  const most = Math.max(...D.classRows);
  const SHOWN = 12;
  const order = D.classes.map((_, c) => c).sort((a, b) => D.classRows[b] - D.classRows[a] || a - b);
  const line = (c) => {
    const figure = `${whole(D.classRows[c])} (${percent(D.classRows[c] / D.rowsInTable)})`;
    return lineOf(
      "plain",
      [swatch(D.series[c]), named(D.classes[c], 30)],
      smallBar(D.classRows[c], most, "grey"),
      figure,
    );
  };
  const list = (some) => make("div", { class: "list wide-value" }, ...some.map(line));
  $("classes").append(list(order.slice(0, SHOWN)));
  const rest = order.slice(SHOWN);
  if (rest.length) $("classes").append(folded(`The other ${classes(rest.length)}`, list(rest)));
};

const PARTS = 12;
const partLine = (words, from, to, part, range, kind = "") => {
  const percentAt = (v) => (100 * (v - range[0])) / (range[1] - range[0] || 1);
  const left = Math.min(percentAt(from), percentAt(to));
  const colour = part < 0 ? "no" : kind === "rest" ? "grey" : "";
  const style = `left:${left}%;width:max(${Math.abs(percentAt(to) - percentAt(from))}%, 1px)`;
  const bar = make("div", { class: "bar", style: `--zero:${percentAt(0)}%` }, make("i", { class: colour, style }));
  return lineOf(`part ${kind}`, words, bar, signed(part), { "data-value": part });
};
// terms: [{ words: () => [nodes], part }] of all that adds; start: what is known without the row; total: the whole sum.
const waterfall = (box, { terms, start, total, winner, rival, others }) => {
  const first = [...terms].sort((a, b) => Math.abs(b.part) - Math.abs(a.part)).slice(0, PARTS);
  const said = first.filter(({ part }) => Math.abs(part) >= 0.005);
  const rest = total - said.reduce((sum, { part }) => sum + part, start);
  const hidden = others - said.length;
  const stops = [0, start];
  for (const { part } of said) stops.push(stops[stops.length - 1] + part);
  stops.push(total);
  const range = [Math.min(...stops), Math.max(...stops)];
  let run = start;
  const lines = [partLine(["how frequent the two classes are"], 0, start, start, range, "start")];
  for (const { words, part } of said) {
    lines.push(partLine(words(), run, run + part, part, range));
    run += part;
  }
  const pairs = D.pairs.length || D.whatIf?.plan.pairs.length;
  const [one, many] = pairs ? ["attribute or pair", "attributes and pairs"] : ["attribute", "attributes"];
  const rests = hidden === 1 ? `the other ${one}` : `the other ${whole(hidden)} ${many} together`;
  if (hidden > 0) lines.push(partLine([rests], run, total, rest, range, "rest"));
  const sum = ["the sum: ", named(D.classes[winner], 24), " against ", named(D.classes[rival], 24)];
  lines.push(partLine(sum, 0, total, total, range, "sum"));
  const summed = terms.reduce((sum, { part }) => sum + part, start);
  box.replaceChildren(make("div", { class: "list", "data-sum": summed, "data-total": total }, ...lines));
};
