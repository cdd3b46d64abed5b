// The page's data, and functions that make elements and text. Data is only ever set as text, never as markup.
const D = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

const fill = (element, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
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
const plural = (count, word) => `${whole(count)} ${word}${count === 1 ? "" : "s"}`;

// The effects of all values, one below the other: attribute by attribute, class by class.
const K = D.classes.length;
const effects = (() => {
  const packed = atob(D.effects);
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k); // millions of bytes, so no function call for each
  return D.effectBytes === 2 ? new Int16Array(bytes.buffer) : new Int8Array(bytes.buffer);
})();
const detailed = [];
let cells = 0;
D.attributes.forEach((attribute, j) => {
  attribute.position = j;
  if (!attribute.detail) return;
  attribute.column = detailed.length;
  attribute.start = cells;
  cells += attribute.detail.values;
  detailed.push(attribute);
});
const effect = (attribute, value, c) => effects[(attribute.start + value) * K + c] * attribute.detail.scale;

// A value in words: a category, an interval, "missing" or "unknown".
const wholeRange = (first, last) => (first === last ? `= ${first}` : `${first} to ${last}`);
const interval = (cuts, k, whole) => {
  if (cuts.length === 0) return "any";
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
  return missingIsValue && value === values - 2 ? "missing" : interval(cuts, value, whole);
};
const matches = (text, wanted) => text.toLocaleLowerCase().includes(wanted.trim().toLocaleLowerCase());
const bySize = (key) =>
  [...D.attributes].sort((a, b) => Math.abs(key(b)) - Math.abs(key(a)) || a.position - b.position);
