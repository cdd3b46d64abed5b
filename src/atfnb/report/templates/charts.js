// Shared by several pictures: colours and marks of the classes, axes, bars, and drawing again when the width changes.
const colour = (series) => `var(--c${series})`;
const nSeries = Math.max(...D.series) + 1;
const seriesNames = Array.from({ length: nSeries }, (_, s) => {
  const members = D.series.flatMap((series, c) => (series === s ? [c] : []));
  return s === 8 && members.length > 1 ? `the other ${members.length} classes` : D.classes[members[0]];
});
const classOfSeries = Array.from({ length: nSeries }, (_, s) => D.series.indexOf(s));
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 2", "12 4", "1 4", "6 2 1 2", "3 5"];

const SHAPES = [
  (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (r) => `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `M0 ${-1.2 * r}L${1.15 * r} ${r}H${-1.15 * r}z`,
  (r) => `M0 ${-1.35 * r}L${1.35 * r} 0L0 ${1.35 * r}L${-1.35 * r} 0z`,
  (r) => `M0 ${1.2 * r}L${1.15 * r} ${-r}H${-1.15 * r}z`,
  (r) =>
    `M${-r} ${-0.4 * r}h${0.6 * r}v${-0.6 * r}h${0.8 * r}v${0.6 * r}h${0.6 * r}v${0.8 * r}h${-0.6 * r}v${0.6 * r}h${-0.8 * r}v${-0.6 * r}h${-0.6 * r}z`,
  (r) => `M${-0.5 * r} ${-r}h${r}L${r} 0L${0.5 * r} ${r}h${-r}L${-r} 0z`,
  (r) => `M${-1.2 * r} ${-0.45 * r}h${2.4 * r}v${0.9 * r}h${-2.4 * r}z`,
  (r) => `M${-0.45 * r} ${-1.2 * r}h${0.9 * r}v${2.4 * r}h${-0.9 * r}z`,
];
const mark = (series, x, y, r = 4) =>
  draw("path", { d: SHAPES[series](r), transform: `translate(${x} ${y})`, fill: colour(series) });
const swatch = (series) => draw("svg", { width: 14, height: 14, "aria-hidden": true }, mark(series, 7, 7, 5));
const legend = (box) => {
  box.replaceChildren(...seriesNames.map((text, s) => make("span", {}, swatch(s), named(text, 30))));
};

const WIDEST = 1100;
const responsive = (box, paint) => {
  let width = 0;
  const again = (force) => {
    const now = Math.max(240, Math.min(WIDEST, Math.floor(box.clientWidth)));
    if (now === width && force !== true) return;
    width = now;
    box.replaceChildren(paint(width));
  };
  new ResizeObserver(() => again()).observe(box);
  again(true);
  return () => again(true);
};
const scale = (from, to, low, high) => (value) => low + ((value - from) / (to - from || 1)) * (high - low);
const ticks = (low, high, wanted) => {
  const rough = (high - low) / Math.max(wanted, 1) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
    found.push(Number((k * step).toPrecision(12)));
  return found;
};
const text = (x, y, words, anchor = "middle", extra = {}) =>
  draw("text", { x, y, "text-anchor": anchor, ...extra }, words);
const picture = (width, height, words, ...parts) =>
  draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words }, ...parts);
const axisX = (x, low, high, y, wanted, format = number, wholeOnly = false) =>
  ticks(low, high, wanted)
    .filter((at) => !wholeOnly || Number.isInteger(at))
    .flatMap((at) => [
      draw("line", { class: "axis", x1: x(at), x2: x(at), y1: y, y2: y + 5 }),
      text(x(at), y + 18, format(at)),
    ]);

const smallBar = (value, high, kind) =>
  make(
    "div",
    { class: "bar small" },
    make("i", { class: kind, style: `left:0;width:${(100 * Math.max(value, 0)) / (high || 1)}%` }),
  );
// The ends of years or months, or the hours, for an axis of dates or times of day.
const momentTicks = (low, high, wanted, part) => {
  if (part === "time") return ticks(low, high, wanted);
  const MONTHS = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200];
  const months = (high - low) / 30.44;
  const step = MONTHS.find((each) => months / each <= wanted);
  if (months < 2 || step === undefined) return ticks(low, high, wanted);
  const start = new Date(low * 86400000);
  const first = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / step) * step;
  const found = [];
  for (let month = first; ; month += step) {
    const at = Date.UTC(Math.floor(month / 12), month % 12, 1) / 86400000;
    if (at > high) return found;
    if (at >= low) found.push(at);
  }
};
