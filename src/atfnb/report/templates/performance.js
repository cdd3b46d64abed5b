// The last sections: mistakes and calibration, once for each set of rows that the model was measured on.
const drawPerformance = (T, section) => {
  const part = (name) => section.querySelector(`[data-part="${name}"]`);
  const n = Math.round(Math.sqrt(T.confusion.length));
  const name = (i) => (i < T.shown.length ? T.classes[T.shown[i]] : "all others");
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, "actual ↓  predicted →"),
    ...Array.from({ length: n }, (_, j) => make("th", { scope: "col" }, named(name(j), 22))),
  );
  const cell = (i, j, sum) => {
    const rows = T.confusion[i * n + j];
    if (!rows) return make("td", { class: "none" }, "·");
    const share = rows / sum;
    const tint = i === j ? "var(--for)" : "var(--no)";
    return make(
      "td",
      {
        style: `background:color-mix(in srgb, ${tint} ${(6 + 34 * share).toFixed(0)}%, var(--paper))`,
        title: `${shorten(name(i))} predicted as ${shorten(name(j))}`,
      },
      whole(rows),
      make("small", {}, percent(share, 0)),
    );
  };
  const lines = Array.from({ length: n }, (_, i) => {
    const sum = T.confusion.slice(i * n, (i + 1) * n).reduce((a, b) => a + b, 0);
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, named(name(i), 22)),
      ...Array.from({ length: n }, (_, j) => cell(i, j, sum)),
    );
  });
  part("confusion").append(
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Confusion matrix" },
      make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines)),
    ),
  );
  const words = part("confusion-words");
  words.append("Each line shows how many rows of an actual class were predicted as each class. ");
  if (T.mistakes.length) {
    words.append("The most frequent errors: ");
    for (const [k, [i, j, rows]] of T.mistakes.slice(0, 3).entries())
      words.append(
        k ? "; " : "",
        named(T.classes[i], 30),
        " predicted as ",
        named(T.classes[j], 30),
        ` (${whole(rows)})`,
      );
    words.append(".");
  } else words.append("No row was predicted wrongly.");

  const bins = Array.from({ length: T.reliability.length / 3 }, (_, b) => T.reliability.slice(3 * b, 3 * b + 3))
    .map(([rows, sure, right], b) => ({ b, rows, sure: sure / rows, right: right / rows }))
    .filter((bin) => bin.rows);
  const total = bins.reduce((sum, bin) => sum + bin.rows, 0);
  const most = Math.max(...bins.map((bin) => bin.rows));
  responsive(part("reliability"), (full) => {
    const width = Math.min(full, 440);
    const size = width - 60;
    const top = 26;
    const x = scale(0, 1, 46, 46 + size);
    const y = scale(0, 1, top + size * 0.82, top);
    const floor = top + size * 0.82;
    const strip = 44;
    const dots = bins.flatMap((bin) => [
      draw("line", {
        x1: x(bin.sure),
        x2: x(bin.sure),
        y1: y(bin.sure),
        y2: y(bin.right),
        stroke: "var(--no)",
        "stroke-width": 1.5,
        "stroke-dasharray": "3 2",
      }),
      draw(
        "circle",
        {
          cx: x(bin.sure),
          cy: y(bin.right),
          r: 3 + 6 * Math.sqrt(bin.rows / most),
          fill: "var(--accent)",
          "fill-opacity": 0.8,
        },
        draw(
          "title",
          {},
          `${plural(bin.rows, "row")}: predicted probability ${percent(bin.sure)}, ${percent(bin.right)} right`,
        ),
      ),
    ]);
    const counts = bins.flatMap((bin) => [
      draw("rect", {
        x: x(bin.b / 10) + 1,
        width: size / 10 - 2,
        y: floor + 54 + strip - (strip * bin.rows) / most,
        height: (strip * bin.rows) / most,
        fill: "var(--quiet)",
      }),
      width > 330
        ? text(x((bin.b + 0.5) / 10), floor + 50 + strip - (strip * bin.rows) / most, whole(bin.rows), "middle", {
            style: "font-size:10px",
          })
        : null,
    ]);
    const grid = ticks(0, 1, 5).flatMap((at) => [
      draw("line", { class: "axis", x1: x(0), x2: x(1), y1: y(at), y2: y(at) }),
      text(40, y(at) + 4, percent(at, 0), "end"),
      text(x(at), floor + 18, percent(at, 0)),
    ]);
    return picture(
      width,
      floor + 76 + strip,
      `Reliability: off by ${percent(T.calibrationError)} on average`,
      ...grid,
      draw("line", { class: "zero", x1: x(0), x2: x(1), y1: y(0), y2: y(1), "stroke-dasharray": "5 4" }),
      ...dots,
      ...counts.filter(Boolean),
      text(4, 10, "↑ share that is right", "start"),
      text(x(1), floor + 33, "predicted probability →", "end"),
      text(x(0), floor + 70 + strip, "rows in each tenth", "start"),
    );
  });
  part("reliability-words").textContent =
    `On the dashed line the model is right as often as its probability says; above it, its probabilities are too low, below it too high. On average over its ${whole(total)} predictions it is off by ${percent(T.calibrationError)} (the expected calibration error).`;
};
const setUpPerformance = () => {
  const sections = document.querySelectorAll("#performance, #test");
  for (const [k, section] of sections.entries()) drawPerformance(D.performances[k], section);
};
