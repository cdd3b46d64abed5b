// Mistakes: the confusion matrix, the rows, the reliability, and for two classes the threshold; once for each set of rows.
const confusionOf = (T, box, words) => {
  const n = T.names.length;
  const compact = n > 8;
  const cell = (i, j, rows, sum) => {
    if (!rows) return make("td", { class: "cell none" }, "·");
    const share = rows / sum;
    return make(
      "td",
      {
        class: "cell",
        style: `background:color-mix(in srgb, ${i === j ? "var(--for)" : "var(--no)"} ${(6 + 44 * share).toFixed(0)}%, var(--paper))`,
        title: `${T.names[i]} predicted as ${T.names[j]}: ${plural(rows, "row")}, ${percent(share)} of the class`,
      },
      whole(rows),
      compact ? null : make("small", {}, percent(share, 0)),
    );
  };
  const head = make(
    "tr",
    {},
    make("td", { class: "corner" }, "actual ↓  predicted →"),
    ...T.names.map((name) => make("th", { scope: "col" }, make("bdi", {}, name))),
    make("th", { scope: "col" }, "recall"),
  );
  const lines = T.confusion.map((line, i) => {
    const sum = line.reduce((a, b) => a + b, 0);
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, make("bdi", {}, T.names[i])),
      ...line.map((rows, j) => cell(i, j, rows, sum)),
      make("td", {}, sum ? percent(line[i] / sum, 0) : "–"),
    );
  });
  box.append(
    make(
      "div",
      { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Confusion matrix" },
      make(
        "table",
        { class: `heat ${compact ? "compact" : n <= 4 ? "flat" : ""}` },
        make("thead", {}, head),
        make("tbody", {}, ...lines),
      ),
    ),
  );
  words.append(
    `Each line shows how many rows of an actual class were predicted as each class${n > 3 ? "; classes that are taken for each other stand together" : ""}. `,
  );
  if (T.mistakes.length) {
    words.append("The most frequent errors: ");
    for (const [k, [i, j, rows]] of T.mistakes.slice(0, 3).entries())
      words.append(
        k ? "; " : "",
        named(T.classes[i], 40),
        " predicted as ",
        named(T.classes[j], 40),
        ` (${whole(rows)})`,
      );
    words.append(".");
  } else words.append("No row was predicted wrongly.");
};

const reliabilityOf = (T, box, words) => {
  const r = T.reliability;
  const bins = r.bins.map(([rows, sure, right, low, high]) => ({ rows, sure, right, low, high }));
  const two = T.classes.length === 2;
  responsive(box, (full) => {
    const width = Math.min(full, 440);
    const x = scale(0, 1, 46, width - 14);
    const floor = 26 + (width - 60) * 0.8;
    const y = scale(0, 1, floor, 26);
    const grid = ticks(0, 1, 5).flatMap((at) => [
      draw("line", { class: "axis", x1: x(0), x2: x(1), y1: y(at), y2: y(at) }),
      text(40, y(at) + 4, percent(at, 0), "end"),
      text(x(at), floor + 18, percent(at, 0)),
    ]);
    const dots = bins.flatMap((bin) => [
      draw("line", {
        x1: x(bin.sure),
        x2: x(bin.sure),
        y1: y(bin.low),
        y2: y(bin.high),
        stroke: "var(--accent)",
        "stroke-width": 2,
        "stroke-opacity": 0.55,
      }),
      draw(
        "circle",
        { cx: x(bin.sure), cy: y(bin.right), r: 4.5, fill: "var(--accent)" },
        draw(
          "title",
          {},
          `${plural(bin.rows, "row")}: predicted probability ${percent(bin.sure)}, actual share ${percent(bin.right)} (95 % interval ${percent(bin.low)} to ${percent(bin.high)})`,
        ),
      ),
    ]);
    return picture(
      width,
      floor + 38,
      `Reliability: predicted probability against actual share in ${plural(bins.length, "bin")}, off by ${percent(r.error)} on average`,
      ...grid,
      draw("line", { class: "zero", x1: x(0), x2: x(1), y1: y(0), y2: y(1), "stroke-dasharray": "5 4" }),
      ...dots,
      text(4, 12, two ? `↑ actual share of ${shorten(T.classes[1], 24)}` : "↑ share that is right", "start"),
      text(x(1), floor + 34, "predicted probability →", "end"),
    );
  });
  words.textContent = `On the dashed line, probabilities are as they should be; above it they are too low, below it too high. Each dot is ${bins.length > 1 ? "about as many rows as the others" : "all rows"} (${whole(bins[0].rows)}), its line the 95 % interval. On average the probabilities are off by ${percent(r.error)}.`;
};

const thresholdsOf = (T, box, id) => {
  const t = T.thresholds;
  if (!t) return;
  box.hidden = false;
  const stops = t.atStops[0].length - 1; // the slider stands at k / stops, where the counts are exact
  const points = t.curve[0].map((found, k) => [found, t.curve[1][k]]);
  const [own, rest] = points[points.length - 1];
  const target = shorten(T.classes[1], 40);
  const countsAt = (k) => [t.atStops[0][k], t.atStops[1][k]];
  let stop = stops / 2;
  let marks = [];
  const slider = make("input", { type: "range", id: `${id}-threshold`, min: 0, max: stops });
  const shown = make("output", { for: `${id}-threshold` });
  const table = make("div", { class: "counts" });
  const charts = [make("div", { class: "chart" }), make("div", { class: "chart" })];
  const curve = (place, words, axisX, axisY, chartOf) => (full) => {
    const size = Math.min(full, 340);
    const x = scale(0, 1, 44, size - 10);
    const y = scale(0, 1, size * 0.86, 22);
    const dot = draw("circle", { r: 6, fill: "var(--ink)", stroke: "var(--paper)", "stroke-width": 2 });
    marks[chartOf] = () => {
      const [px, py] = place(...countsAt(stop));
      dot.setAttribute("cx", x(px));
      dot.setAttribute("cy", y(py));
    };
    const path = [[0, 0], ...points]
      .map((counts) => place(...counts))
      .map(([px, py], k) => `${k ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`);
    const grid = ticks(0, 1, 4).flatMap((at) => [
      draw("line", { class: "axis", x1: x(0), x2: x(1), y1: y(at), y2: y(at) }),
      text(38, y(at) + 4, percent(at, 0), "end"),
      text(x(at), y(0) + 18, percent(at, 0)),
    ]);
    const svg = picture(
      size,
      y(0) + 40,
      words,
      ...grid,
      chartOf === 0
        ? draw("line", { class: "zero", x1: x(0), x2: x(1), y1: y(0), y2: y(1), "stroke-dasharray": "5 4" })
        : draw("line", {
            class: "zero",
            x1: x(0),
            x2: x(1),
            y1: y(own / (own + rest)),
            y2: y(own / (own + rest)),
            "stroke-dasharray": "5 4",
          }),
      draw("path", { class: "stroke", d: path.join(""), stroke: "var(--accent)", style: "stroke-width:2.2" }),
      dot,
      text(4, 12, axisY, "start"),
      text(x(1), y(0) + 35, axisX, "end"),
    );
    // drag along the curve: the nearest stop of the slider decides
    const drag = (event) => {
      const frame = svg.getBoundingClientRect();
      const [px, py] = [
        ((event.clientX - frame.left) * size) / frame.width,
        ((event.clientY - frame.top) * size) / frame.width,
      ];
      let best = 0;
      let least = Infinity;
      for (let k = 0; k <= stops; k++) {
        const [qx, qy] = place(...countsAt(k));
        const far = (x(qx) - px) ** 2 + (y(qy) - py) ** 2;
        if (far < least) {
          least = far;
          best = k;
        }
      }
      set(best);
    };
    svg.style.cursor = "pointer";
    svg.style.touchAction = "none";
    svg.addEventListener("pointerdown", (event) => {
      svg.setPointerCapture(event.pointerId);
      drag(event);
    });
    svg.addEventListener("pointermove", (event) => {
      if (event.buttons) drag(event);
    });
    marks[chartOf]();
    return svg;
  };
  const rate = (part, all) => (all ? percent(part / all) : "–");
  const set = (to) => {
    stop = to;
    slider.value = to;
    const [found, wrong] = countsAt(stop);
    const [missed, rejected] = [own - found, rest - wrong];
    shown.textContent = percent(stop / stops);
    slider.setAttribute("aria-valuetext", percent(stop / stops));
    const th = (words, scope) => make("th", { scope }, words);
    table.replaceChildren(
      make(
        "table",
        { "data-found": found, "data-wrong": wrong, "data-missed": missed, "data-rejected": rejected },
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            make("td", {}),
            th(`predicted ${target}`, "col"),
            th(`predicted ${shorten(T.classes[0], 40)}`, "col"),
          ),
        ),
        make(
          "tbody",
          {},
          make("tr", {}, th(`actual ${target}`, "row"), make("td", {}, whole(found)), make("td", {}, whole(missed))),
          make(
            "tr",
            {},
            th(`actual ${shorten(T.classes[0], 40)}`, "row"),
            make("td", {}, whole(wrong)),
            make("td", {}, whole(rejected)),
          ),
        ),
      ),
      make(
        "p",
        {},
        `Recall ${rate(found, own)}, precision ${rate(found, found + wrong)}, accuracy ${rate(found + rejected, own + rest)}.`,
      ),
    );
    for (const move of marks) move?.();
  };
  slider.addEventListener("input", () => set(Number(slider.value)));
  marks = [null, null];
  box.append(
    make("h3", {}, "Where to draw the line"),
    make(
      "p",
      { class: "dim" },
      `A row is predicted as ${target} if its probability is above the threshold; predict uses 50 %. Drag the dot or the slider. The area under the ROC curve is ${t.area.toFixed(3)}.`,
    ),
    make("div", { class: "controls slider" }, make("label", { for: `${id}-threshold` }, "Threshold"), slider, shown),
    make("div", { class: "three" }, charts[0], charts[1], table),
  );
  const point = (found, wrong) => [wrong / rest, found / own];
  const precise = (found, wrong) => [found / own, found + wrong ? found / (found + wrong) : 1];
  responsive(
    charts[0],
    curve(point, `ROC curve, area ${t.area.toFixed(3)}`, "wrongly predicted as it →", "↑ recall", 0),
  );
  responsive(
    charts[1],
    curve(precise, `Precision and recall of ${target} at each threshold`, "recall →", "↑ precision", 1),
  );
  set(stop);
};

const setUpWrongRows = () => {
  const R = D.rows;
  const body = $("wrong-table").tBodies[0];
  const search = $("wrong-search");
  const heads = [...$("wrong-table").tHead.rows[0].cells];
  const wrong = R.numbers
    .map((number, i) => ({
      i,
      number,
      truth: D.classes[R.truth[i]],
      predicted: D.classes[R.predicted[i]],
      probability: R.probability[i],
    }))
    .filter(({ i }) => R.truth[i] !== R.predicted[i]);
  const total = D.wrongRows;
  $("wrong-words").textContent = wrong.length
    ? `${wrong.length < total ? `${whole(wrong.length)} of the ${whole(total)} rows that were predicted wrongly` : plural(total, "row")}${D.outOfFold ? ", each by a model that was trained without it" : ""}; the surest first. Open one by its number to see in the waterfall what speaks for each class.`
    : "None.";
  $("wrong-box").hidden = $("wrong-controls").hidden = wrong.length === 0;
  let key = "probability";
  let up = false;
  const show = () => {
    const order = [...wrong]
      .filter(
        (one) =>
          !search.value.trim() ||
          [String(one.number), one.truth, one.predicted].some((words) => matches(words, search.value)),
      )
      .sort(
        (a, b) =>
          (up ? 1 : -1) * (typeof a[key] === "number" ? a[key] - b[key] : a[key].localeCompare(b[key])) ||
          a.number - b.number,
      );
    body.replaceChildren(
      ...order.map((one) =>
        make(
          "tr",
          { "data-row": one.number },
          make(
            "td",
            {},
            make(
              "button",
              {
                type: "button",
                class: "link",
                "aria-label": `Explain row ${whole(one.number)}`,
                on: { click: () => openRow(one.i) },
              },
              whole(one.number),
            ),
          ),
          make("td", { class: "words" }, make("bdi", {}, one.truth)),
          make("td", { class: "words" }, make("bdi", {}, one.predicted)),
          make("td", {}, percent(one.probability)),
        ),
      ),
    );
  };
  for (const head of heads.filter((each) => each.dataset.key))
    head.firstElementChild.addEventListener("click", () => {
      up = key === head.dataset.key ? !up : head.dataset.key !== "probability";
      key = head.dataset.key;
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      show();
    });
  search.addEventListener("input", show);
  show();
};

const setUpMistakes = () => {
  for (const [k, section] of document.querySelectorAll("section.performance").entries()) {
    const part = (name) => section.querySelector(`[data-part="${name}"]`);
    const T = D.performances[k];
    confusionOf(T, part("confusion"), part("confusion-words"));
    reliabilityOf(T, part("reliability"), part("reliability-words"));
    thresholdsOf(T, part("thresholds"), section.id);
  }
  setUpWrongRows();
};
