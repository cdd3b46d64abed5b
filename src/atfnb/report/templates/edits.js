// Edits of the model's effects: the arithmetic of model.edit in Python, and how well an edited model predicts rows.
// A model here is what scoring.prepare returns; weights[j][code] are those of the training rows with each code.
const FEWEST_ROWS = 1e-9; // what a cell without training rows counts in a mean
const FLOOR = 1e-15; // probabilities below this are raised to it in the log-loss
const sumOf = (numbers) => numbers.reduce((sum, each) => sum + each, 0);
const beyondMean = (scores, c) => scores[c] - sumOf(scores) / scores.length;
const weightedMean = (cells, weights) =>
  cells[0].map((_, c) => sumOf(cells.map((cell, k) => weights[k] * cell[c])) / sumOf(weights));

// The values that never fall and are nearest to these, by weighted squares: neighbours that fall are pooled.
const isotonic = (values, weights) => {
  const pools = [];
  for (const [k, value] of values.entries()) {
    let pool = { value, weight: weights[k], size: 1 };
    while (pools.length && pools.at(-1).value >= pool.value) {
      const last = pools.pop();
      const weight = last.weight + pool.weight;
      const mean = (last.weight * last.value + pool.weight * pool.value) / weight;
      pool = { value: mean, weight, size: last.size + pool.size };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ value, size }) => Array(size).fill(value));
};
const withScore = (scores, c, added) => scores.map((score, k) => (k === c ? score + added : score));
const flattened = (cells, weights) => {
  const mean = weightedMean(cells, weights);
  return cells.map(() => mean);
};
// What each edit makes of the scores of the cells that it is about: (cells, weights, class, effect) → cells.
const MADE = {
  flatten: flattened,
  merge: flattened,
  remove: (cells) => cells.map((cell) => cell.map(() => 0)),
  set: (cells, _, c, effect) =>
    cells.map((cell) => withScore(cell, c, ((effect - beyondMean(cell, c)) * cell.length) / (cell.length - 1))),
  smooth: (cells, weights) =>
    cells.map((_, k) => {
      const [first, end] = [Math.max(k - 1, 0), k + 2];
      const near = weights.slice(first, end).map((weight, i) => (first + i === k ? 2 : 1) * weight);
      return weightedMean(cells.slice(first, end), near);
    }),
  rising: (cells, weights, c, _, sign = 1) => {
    const against = cells.map((cell) => (sign * beyondMean(cell, c) * cell.length) / (cell.length - 1));
    const fit = isotonic(against, weights);
    return cells.map((cell, k) => withScore(cell, c, sign * (fit[k] - against[k])));
  },
  falling: (cells, weights, c) => MADE.rising(cells, weights, c, null, -1),
};
const withoutPairs = (model, isGone) => ({
  ...model,
  starts: model.starts.map((start, c) => start + sumOf(model.pairs.filter(isGone).map((pair) => pair.mean[c]))),
  pairs: model.pairs.map((pair) => {
    if (!isGone(pair)) return pair;
    const none = pair.mean.map(() => 0);
    return { ...pair, mean: none, scores: pair.scores.map(() => none) };
  }),
});
// An entry is an edit as the file has it, and the positions in the model: of = [attribute] or [attribute, attribute] of a
// pair, the codes of the cells, and c, the class.
const applied = (model, weights, { edit, of: [j, other], codes, c }) => {
  if (other !== undefined) return withoutPairs(model, ({ of }) => of.includes(j) && of.includes(other));
  const scores = model.attributes[j].scores.slice();
  const cells = codes.map((code) => Array.from(scores[code]));
  const heavy = codes.map((code) => Math.max(weights[j][code], FEWEST_ROWS));
  const made = MADE[edit.do](cells, heavy, c, edit.effect);
  for (const [k, code] of codes.entries()) scores[code] = made[k];
  const changed = { ...model, attributes: model.attributes.with(j, { ...model.attributes[j], scores }) };
  if (edit.do !== "remove") return changed;
  const mean = weightedMean(cells, heavy);
  return withoutPairs({ ...changed, starts: model.starts.map((start, k) => start + mean[k]) }, ({ of }) =>
    of.includes(j),
  );
};
// The model after all edits, in order.
const editedModel = (model, weights, pairMeans, entries) =>
  entries.reduce((before, entry) => applied(before, weights, entry), {
    ...model,
    pairs: model.pairs.map((pair, p) => ({ ...pair, mean: pairMeans[p] })),
  });

// How well a model predicts rows: [{ actual class, codes }].
const figuresOf = (model, rows) => {
  const joints = rows.map(({ codes }) => scoring.jointOf(model, scoring.contributionsOf(model, codes)));
  const chances = joints.map(scoring.probabilitiesOf);
  const predicted = joints.map((joint) => scoring.positionOf(model, joint));
  const share = (some, of = rows.length) => (of ? some / of : Number.NaN);
  const isRight = rows.map(({ actual }, i) => actual === predicted[i]);
  const losses = rows.map(({ actual }, i) => -Math.log(Math.max(chances[i][actual], FLOOR)));
  const ofClasses = model.classes.map((_, c) => {
    const own = rows.map(({ actual }) => actual === c);
    const count = own.filter(Boolean).length;
    return {
      rows: count,
      actual: share(count),
      predicted: share(sumOf(chances.map((chance) => chance[c]))),
      recall: share(own.filter((is, i) => is && isRight[i]).length, count),
    };
  });
  return {
    accuracy: share(isRight.filter(Boolean).length),
    logLoss: share(sumOf(losses)),
    predicted,
    classes: ofClasses,
  };
};
