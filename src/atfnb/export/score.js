// Scores rows by the plan of a model, as `predict` and `predict_proba` do. Plain functions: no imports, no globals.
//
// plan      what atfnb.export.plan_of(model).json() returns, parsed:
//           { classifier, target, tie, classes, starts, attributes: [...], pairs: [...] }
// row       an object: column → value. null, undefined and NaN are missing values; a column that is not there is an
//           error. Numbers are numbers (whole numbers beyond 2 ** 53 are BigInt), booleans are booleans, dates are ISO
//           text such as "2024-02-29" or "2024-02-29T18:00:00.5+02:00", with a time zone where the model learned
//           dates with one and without where not, or Date objects; times of day are text such as "18:00" or
//           "18:00:00.5".
//
// prepare(plan)                  → a plan with look-up tables, which all functions below take; do it once
// codesOf(plan, row)             → [code of each attribute]; throws an Error, one sentence, for a value it cannot take
// contributionsOf(plan, codes)   → [[what it adds to each class] for each attribute, and then for each pair]
// jointOf(plan, contributions)   → [joint log-likelihood of each class]
// probabilitiesOf(joint)         → [probability of each class]
// positionOf(plan, joint)        → the position of the predicted class: the first of those that tie
// score(plan, row)               → { codes, contributions, joint, probabilities, position, class }
// reasonsOf(plan, scored, most)  → [{ name, label, lead }]: the largest leads of the predicted class over the second

export function prepare(plan) {
  const attributes = plan.attributes.map((attribute) => {
    const known = (attribute.categories ?? []).map((category, code) => [keyOf(plain(category)), code]);
    return { ...attribute, codes: new Map(known) };
  });
  return { ...plan, classes: plan.classes.map(plain), attributes };
}

export function codesOf(plan, row) {
  return plan.attributes.map((attribute) => codeOf(attribute, cellOf(row, attribute.column)));
}

export function contributionsOf(plan, codes) {
  const own = plan.attributes.map((attribute, j) => attribute.scores[codes[j]]);
  const together = plan.pairs.map((pair) => {
    const [a, b] = pair.of.map((j, side) => pair.groups[side][codes[j]]);
    const [rows, columns] = pair.shape;
    return pair.scores[a < rows && b < columns ? a * columns + b : rows * columns];
  });
  return [...own, ...together];
}

export function jointOf(plan, contributions) {
  return plan.starts.map((start, c) => contributions.reduce((sum, added) => sum + added[c], start));
}

export function probabilitiesOf(joint) {
  const highest = Math.max(...joint);
  const shares = joint.map((each) => Math.exp(each - highest));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

export function positionOf(plan, joint) {
  const highest = Math.max(...joint);
  return joint.findIndex((each) => each >= highest - plan.tie);
}

export function score(plan, row) {
  const codes = codesOf(plan, row);
  const contributions = contributionsOf(plan, codes);
  const joint = jointOf(plan, contributions);
  const position = positionOf(plan, joint);
  return {
    codes,
    contributions,
    joint,
    probabilities: probabilitiesOf(joint),
    position,
    class: plan.classes[position],
  };
}

export function reasonsOf(plan, scored, most = 3) {
  const { codes, contributions, joint, position } = scored;
  const others = joint.map((each, c) => (c === position ? Number.NEGATIVE_INFINITY : each));
  const second = others.indexOf(Math.max(...others));
  const labelOf = (j) => plan.attributes[j].labels[codes[j]];
  const reasons = contributions.map((added, t) => {
    const pair = plan.pairs[t - plan.attributes.length];
    const label = pair === undefined ? labelOf(t) : pair.of.map(labelOf).join(" × ");
    return { name: (pair ?? plan.attributes[t]).name, label, lead: added[position] - added[second] };
  });
  const largest = reasons.filter((reason) => reason.lead > 0).sort((a, b) => b.lead - a.lead);
  return largest.slice(0, most);
}

// --- One value of a row → the code of an attribute ---

function cellOf(row, column) {
  if (!Object.hasOwn(row, column)) {
    throw new Error(`the row has no column ${JSON.stringify(column)}: give null where its value is missing.`);
  }
  return row[column];
}

function codeOf(attribute, value) {
  if (value === null || value === undefined || Number.isNaN(value)) {
    return attribute.missing;
  }
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
    throw refusal(attribute, "is infinite: give a number or null");
  }
  if (attribute.kind === "nothing") {
    return attribute.unseen;
  }
  const seen = attribute.part === null ? plainOf(attribute, value) : partOf(attribute, value);
  return attribute.cuts === null ? (attribute.codes.get(keyOf(seen)) ?? attribute.unseen) : countOf(attribute, seen);
}

function plainOf(attribute, value) {
  const text = typeof value === "string";
  if (!text && !["number", "bigint", "boolean"].includes(typeof value)) {
    throw refusal(attribute, "is neither text nor a number");
  }
  if (attribute.kind !== "mixed" && text !== (attribute.kind === "text")) {
    throw refusal(attribute, text ? "is text: give a number" : "is a number: give text");
  }
  return value;
}

function countOf(attribute, value) {
  const number = Number(value);
  let [low, high] = [0, attribute.cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    [low, high] = attribute.cuts[middle] <= number ? [middle + 1, high] : [low, middle];
  }
  return low;
}

// Whole numbers beyond 2 ** 53 stand in the plan as { whole: digits }.
function plain(value) {
  return value !== null && typeof value === "object" ? BigInt(value.whole) : value;
}

// Text and numbers have keys of their own; true is 1, 2n is 2, and −0 is 0.
function keyOf(value) {
  if (typeof value === "string") {
    return `'${value}`;
  }
  const number = typeof value === "boolean" ? Number(value) : value;
  return String(Number.isInteger(number) ? BigInt(number) : number);
}

function refusal(attribute, fault) {
  return new Error(`column ${JSON.stringify(attribute.column)} ${fault}.`);
}

// --- Parts of dates ---

const DAY = 86400000000n;
const HOUR = 3600000000n;
const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?$/;

function partOf(attribute, value) {
  if (attribute.part === "time") {
    return Number(timeOf(attribute, value)) / Number(HOUR);
  }
  const moment = momentOf(attribute, value);
  const day = floorDivide(moment, DAY);
  return {
    date: () => Number(moment) / Number(DAY),
    month: () => new Date(Number(day) * 86400000).getUTCMonth() + 1,
    weekday: () => Number(modulo(day + 3n, 7n)) + 1,
    hour: () => Number(modulo(floorDivide(moment, HOUR), 24n)),
  }[attribute.part]();
}

// Microseconds since 1970-01-01, by the clocks of the zone that the attribute was learned in.
function momentOf(attribute, value) {
  if (value instanceof Date && !Number.isNaN(value.getTime())) {
    return inZone(attribute, BigInt(value.getTime()) * 1000n);
  }
  const found = typeof value === "string" ? DATE.exec(value) : null;
  if (found === null) {
    throw refusal(attribute, "is no date: give text such as 2024-02-29 or 2024-02-29T18:00:00");
  }
  const [year, month, day, ...clock] = found.slice(1, 7).map((part) => Number(part ?? 0));
  const start = new Date(0);
  start.setUTCFullYear(year, month - 1, day);
  if (start.getUTCMonth() !== month - 1 || start.getUTCDate() !== day) {
    throw refusal(attribute, `is ${value}, a day that does not exist`);
  }
  const [moment, known] = [BigInt(start.getTime()) * 1000n + clockOf(attribute, clock, found[7]), attribute.zone];
  if ((found[8] === undefined) !== (known === null)) {
    const without = "has a time zone, and the model learned dates without: take it off";
    throw refusal(
      attribute,
      known === null ? without : `has no time zone, and the model learned dates in ${known}: give it one`,
    );
  }
  return known === null ? moment : inZone(attribute, moment - zoneOf(attribute, found[8]));
}

// The wall-clock time, in microseconds, of a moment that is given in UTC; a model without a zone keeps UTC.
function inZone(attribute, moment) {
  const { zone } = attribute;
  if (zone === null || zone === "UTC") {
    return moment;
  }
  if (/^[+-]/.test(zone)) {
    return moment + zoneOf(attribute, zone);
  }
  const seconds = floorDivide(moment, 1000000n);
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
  });
  const parts = format.formatToParts(new Date(Number(seconds) * 1000));
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
  const local = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
  return BigInt(local) * 1000n + modulo(moment, 1000000n);
}

function timeOf(attribute, value) {
  const found = typeof value === "string" ? TIME.exec(value) : null;
  if (found === null) {
    throw refusal(attribute, "is no time of day: give text such as 18:00 or 18:00:00");
  }
  const clock = found.slice(1, 4).map((part) => Number(part ?? 0));
  return clockOf(attribute, clock, found[4]);
}

function clockOf(attribute, [hour, minute, second], fraction = "") {
  if (hour > 23 || minute > 59 || second > 59) {
    throw refusal(attribute, "has a time of day that does not exist");
  }
  return BigInt((hour * 60 + minute) * 60 + second) * 1000000n + BigInt(fraction.padEnd(6, "0").slice(0, 6));
}

function zoneOf(attribute, zone = "Z") {
  if (zone === "Z") {
    return 0n;
  }
  const [hours, minutes] = [zone.slice(1, 3), zone.slice(3).replace(":", "") || "0"];
  const ahead = clockOf(attribute, [Number(hours), Number(minutes), 0]);
  return zone[0] === "-" ? -ahead : ahead;
}

function modulo(value, by) {
  return ((value % by) + by) % by;
}

function floorDivide(value, by) {
  return (value - modulo(value, by)) / by;
}
