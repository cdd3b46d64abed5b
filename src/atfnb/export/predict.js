const PLAN = prepare(THE_PLAN);

// The classes, in the order of the probabilities.
export const classes = PLAN.classes;

// The class of a row, an object of column → value with null for a missing value.
export function predict(row) {
  return score(PLAN, row).class;
}

// The probability of each class.
export function predictProba(row) {
  return score(PLAN, row).probabilities;
}

// The values that contribute most to the class of a row: their names, what they stand for, and by how much they raise
// the joint log-likelihood of this class above that of the second most probable one.
export function explain(row) {
  return reasonsOf(PLAN, score(PLAN, row), 3);
}
