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
// A date, given as days since 1970-01-01, or a time of day, given in hours, as text.
const moment = (value, part) => {
  const [day, time] = new Date(Math.round(value * (part === "date" ? 864e5 : 36e5))).toISOString().split("T");
  const clock = time.slice(6, 8) === "00" ? time.slice(0, 5) : time.slice(0, 8);
  if (part === "time") return clock;
  return clock === "00:00" ? day : `${day} ${clock}`;
};
const momentRange = (cuts, k, { whole, part }) => {
  const start = (at) => (whole && part === "date" ? Math.ceil(cuts[at]) : cuts[at]);
  if (k === 0) return `before ${moment(start(0), part)}`;
  const first = moment(start(k - 1), part);
  if (k === cuts.length) return `from ${first} on`;
  const last = moment(whole && part === "date" ? start(k) - 1 : start(k), part);
  return first === last ? first : `${first} to ${last}`;
};
const wholeRange = (first, last) => (first === last ? `= ${first}` : `${first} to ${last}`);
const interval = (cuts, k, detail) => {
  const { whole, part } = detail;
  if (cuts.length === 0) return "any";
  if (part) return momentRange(cuts, k, detail);
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
  const { cuts, labels, values, missingIsValue } = attribute.detail;
  if (value === values - 1) return "unknown";
  if (!cuts) return labels[value];
  return missingIsValue && value === values - 2 ? "missing" : interval(cuts, value, attribute.detail);
};
const matches = (text, wanted) => text.toLocaleLowerCase().includes(wanted.trim().toLocaleLowerCase());
const bySize = (key) =>
  [...D.attributes].sort((a, b) => Math.abs(key(b)) - Math.abs(key(a)) || a.position - b.position);
