// The page's data, and functions that make elements and text. Data is only ever set as text, never as markup.
const D = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

const fill = (element, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
    else if (key === "style")
      element.style.cssText = value ?? ""; // the page's policy forbids the attribute
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const shorten = (text, longest = 40) => {
  const letters = Array.from(text);
  return letters.length <= longest ? text : `${letters.slice(0, longest - 1).join("")}…`;
};
const named = (text, longest = 40) =>
  make("bdi", { title: text.length > longest ? text : null }, shorten(text, longest));

const [th, td, tr] = [
  (scope, ...content) => make("th", { scope }, ...content),
  (...content) => make("td", {}, ...content),
  (...cells) => make("tr", {}, ...cells),
];
const tableOf = (attributes, head, lines) =>
  make("table", attributes, make("thead", {}, head), make("tbody", {}, ...lines));
const scrolled = (words, table, kind = "") =>
  make("div", { class: `scroll ${kind}`, tabindex: 0, role: "region", "aria-label": words }, table);
const folded = (words, content) => make("details", { class: "folded" }, make("summary", {}, words), content);
const upTo = (n) => Array.from({ length: n }, (_, k) => k);
// A line of a list: what it is of, a bar, and a figure.
const lineOf = (kind, label, bar, figure, attributes = {}) => {
  const value = make("span", { class: "value" }, figure);
  return make("div", { class: `line ${kind}`, ...attributes }, make("span", { class: "label" }, ...label), bar, value);
};

// Numbers: three significant digits, a true minus.
const number = (value) => {
  if (value === null || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1000) return value.toLocaleString("en", { maximumFractionDigits: 0 }).replace("-", "−");
  if (size < 0.0005) return size < 5e-7 ? "0" : value.toExponential(1).replaceAll("-", "−");
  return Number(value.toPrecision(3)).toString().replace("-", "−");
};
const signed = (value) => {
  const text = Math.abs(value) < 10 ? Math.abs(value).toFixed(2) : number(Math.abs(value));
  return Number(text) === 0 ? "0" : (value > 0 ? "+" : "−") + text;
};
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const whole = (count) => Math.round(count).toLocaleString("en");
const classes = (count) => `${count.toLocaleString("en")} ${count === 1 ? "class" : "classes"}`;
const plural = (count, word) => `${whole(count)} ${word}${count === 1 ? "" : "s"}`;

// Numbers that are packed as bytes: effects, bands, scores.
const numbersOf = (text, Type) => {
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k); // millions of bytes, so no function call for each
  return new Type(bytes.buffer);
};
const KINDS = { int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, uint32: Uint32Array };
const unpack = ({ kind, scale, numbers }) => {
  const steps = numbersOf(numbers, KINDS[kind]);
  return (k) => steps[k] * scale;
};
const K = D.classes.length;
const twoClasses = K === 2;

// The effects of the values of each attribute, value by value and class by class.
const detailed = D.attributes.filter((attribute) => attribute.detail);
const bands = detailed.some(({ detail }) => detail.bands);
for (const [j, attribute] of D.attributes.entries()) attribute.position = j;
for (const { detail } of detailed) {
  detail.learnedAt = unpack(detail.effects);
  detail.effectAt = detail.learnedAt; // until it is edited
  detail.bandAt = bands ? unpack(detail.bands) : () => 0;
}
const effect = (attribute, value, c, effectAt = attribute.detail.effectAt) => effectAt(value * K + c);
// For two classes the difference between them; for more, what a value adds beyond its mean over all classes.
const adds = (attribute, value, c, at = attribute.detail.effectAt) =>
  effect(attribute, value, c, at) - (twoClasses ? effect(attribute, value, 1 - c, at) : 0);
const isEdited = ({ detail }) => detail.effectAt !== detail.learnedAt;
const learned = (attribute, value, c) => adds(attribute, value, c, attribute.detail.learnedAt);
const isMoved = (attribute, value, c) =>
  Math.abs(adds(attribute, value, c) - learned(attribute, value, c)) > 2 * attribute.detail.effects.scale;
// How far the 90 % band reaches to either side; of two classes, the errors of both are the same. An edit has none.
const reaches = (attribute, value, c) =>
  isMoved(attribute, value, c) ? 0 : (twoClasses ? 2 : 1) * attribute.detail.bandAt(value * K + c);

// A value in words: a category, an interval, "missing" or "unknown".
const two = (value) => String(value).padStart(2, "0");
const moment = (value, part) => {
  const unit = part === "date" ? 86400000 : 3600000;
  const at = new Date(Math.round(value * unit));
  const clock = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
  if (part === "time") return clock;
  const day = `${at.getUTCFullYear()}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`;
  return clock === "00:00" ? day : `${day} ${clock}`;
};
const wholeRange = (first, last) => (first === last ? `= ${first}` : `${first} to ${last}`);
const momentInterval = (cuts, k, whole, part) => {
  const days = whole && part === "date";
  const from = (cut) => moment(days ? Math.ceil(cut) : cut, part);
  const until = (cut) => moment(days ? Math.ceil(cut) - 1 : cut, part);
  if (k === 0) return `before ${from(cuts[0])}`;
  if (k === cuts.length) return `from ${from(cuts[k - 1])} on`;
  const [first, last] = [from(cuts[k - 1]), until(cuts[k])];
  return first === last ? first : `${first} to ${last}`;
};
const interval = (cuts, k, whole, part) => {
  if (cuts.length === 0) return "any";
  if (part === "date" || part === "time") return momentInterval(cuts, k, whole, part);
  if (whole) {
    // the whole numbers between the cuts; there is none where only an imputed mean is
    const first = k === 0 ? whole[0] : Math.ceil(cuts[k - 1]);
    const last = k === cuts.length ? whole[1] : Math.ceil(cuts[k]) - 1;
    if (first < last && k === 0) return `≤ ${last}`;
    if (first < last && k === cuts.length) return `≥ ${first}`;
    if (first <= last) return wholeRange(first, last);
  }
  const low = Number(cuts[k - 1]?.toPrecision(6));
  const high = Number(cuts[k]?.toPrecision(6));
  if (k === 0) return `< ${high}`;
  return k === cuts.length ? `≥ ${low}` : `${low} to ${high}`;
};
const label = (attribute, value) => {
  const { cuts, labels, values, missingIsValue, whole } = attribute.detail;
  if (value === values - 1) return "unknown";
  if (!cuts) return labels[value];
  return missingIsValue && value === values - 2 ? "missing" : interval(cuts, value, whole, attribute.part);
};
// What is said of a value after the name of its attribute: an interval as it is, and "= " before a category.
const statement = ({ isNumber }, words) => (isNumber || words === "missing" ? words : `= ${words}`);
const classOptions = (select, chosen) => {
  select.replaceChildren(
    ...D.classes.map((words, c) => make("option", { value: c, selected: c === chosen }, shorten(words, 60))),
  );
};
const matches = (text, wanted) => text.toLocaleLowerCase().includes(wanted.trim().toLocaleLowerCase());
