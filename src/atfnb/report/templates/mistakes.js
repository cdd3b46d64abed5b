// Mistakes: the confusion matrix, the rows, the reliability, and for two classes the threshold; once for each set of rows.
const confusionOf = (T, box, words) => {
  const n = T.names.length;
  const compact = n > 8;
  const cell = (i, j, rows, sum) => {
    if (!rows) return make("td", { class: "cell none" }, "·");
    const share = rows / sum;
    const tint = i === j ? "var(--for)" : "var(--no)";
    const style = `background:color-mix(in srgb, ${tint} ${(6 + 44 * share).toFixed(0)}%, var(--paper))`;
    const title = `${T.names[i]} predicted as ${T.names[j]}: ${plural(rows, "row")}, ${percent(share)} of the class`;
    const small = compact ? null : make("small", {}, percent(share, 0));
    return make("td", { class: "cell", style, title }, whole(rows), small);
  };
  const name = (words) => make("bdi", {}, words);
  const corner = make("td", { class: "corner" }, "actual ↓  predicted →");
  const head = tr(corner, ...T.names.map((words) => th("col", name(words))), th("col", "recall"));
  const lines = T.confusion.map((line, i) => {
    const sum = line.reduce((a, b) => a + b, 0);
    const recall = td(sum ? percent(line[i] / sum, 0) : "–");
    return tr(th("row", name(T.names[i])), ...line.map((rows, j) => cell(i, j, rows, sum)), recall);
  });
  const kind = compact ? "compact" : n <= 4 ? "flat" : "";
  box.append(scrolled("Confusion matrix", tableOf({ class: `heat ${kind}` }, head, lines), "tall"));
  words.append(
    `Each line shows how many rows of an actual class were predicted as each class${n > 3 ? "; classes that are taken for each other stand together" : ""}. `,
  );
  if (T.mistakes.length) {
    words.append("The most frequent errors: ");
    for (const [k, [i, j, rows]] of T.mistakes.slice(0, 3).entries()) {
      const [actual, predicted] = [named(T.classes[i], 40), named(T.classes[j], 40)];
      words.append(k ? "; " : "", actual, " predicted as ", predicted, ` (${whole(rows)})`);
    }
    words.append(".");
  } else words.append("No row was predicted wrongly.");
};

// What the pictures of shares have in common: lines at some percentages, and one that is dashed.
const shareGrid = (x, y, wanted) =>
  ticks(0, 1, wanted).flatMap((at) => [
    draw("line", { class: "axis", x1: x(0), x2: x(1), y1: y(at), y2: y(at) }),
    text(x(0) - 6, y(at) + 4, percent(at, 0), "end"),
    text(x(at), y(0) + 18, percent(at, 0)),
  ]);
const dashed = (x, y, from, to) =>
  draw("line", { class: "zero", x1: x(0), x2: x(1), y1: y(from), y2: y(to), "stroke-dasharray": "5 4" });

const reliabilityOf = (T, box, words) => {
  const r = T.reliability;
  const bins = r.bins.map(([rows, sure, right, low, high]) => ({ rows, sure, right, low, high }));
  const two = T.classes.length === 2;
  responsive(box, (full) => {
    const width = Math.min(full, 440);
    const x = scale(0, 1, 46, width - 14);
    const floor = 26 + (width - 60) * 0.8;
    const y = scale(0, 1, floor, 26);
    const dots = bins.flatMap(({ rows, sure, right, low, high }) => {
      const ends = { x1: x(sure), x2: x(sure), y1: y(low), y2: y(high) };
      const interval = `(95 % interval ${percent(low)} to ${percent(high)})`;
      const title = `${plural(rows, "row")}: predicted probability ${percent(sure)}, actual share ${percent(right)} ${interval}`;
      return [
        draw("line", { ...ends, stroke: "var(--accent)", "stroke-width": 2, "stroke-opacity": 0.55 }),
        draw("circle", { cx: x(sure), cy: y(right), r: 4.5, fill: "var(--accent)" }, draw("title", {}, title)),
      ];
    });
    return picture(
      width,
      floor + 38,
      `Reliability: predicted probability against actual share in ${plural(bins.length, "bin")}, off by ${percent(r.error)} on average`,
      ...shareGrid(x, y, 5),
      dashed(x, y, 0, 1),
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
  const marks = [];
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
    const share = own / (own + rest);
    const svg = picture(
      size,
      y(0) + 40,
      words,
      ...shareGrid(x, y, 4),
      chartOf === 0 ? dashed(x, y, 0, 1) : dashed(x, y, share, share),
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
      const far = Array.from({ length: stops + 1 }, (_, k) => {
        const [qx, qy] = place(...countsAt(k));
        return (x(qx) - px) ** 2 + (y(qy) - py) ** 2;
      });
      set(far.indexOf(Math.min(...far)));
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
    const [actual, predicted] = ["actual", "predicted"].map((word) =>
      [target, shorten(T.classes[0], 40)].map((name) => th(word === "actual" ? "row" : "col", `${word} ${name}`)),
    );
    const counts = { "data-found": found, "data-wrong": wrong, "data-missed": missed, "data-rejected": rejected };
    const lines = [
      tr(actual[0], td(whole(found)), td(whole(missed))),
      tr(actual[1], td(whole(wrong)), td(whole(rejected))),
    ];
    const rates = `Recall ${rate(found, own)}, precision ${rate(found, found + wrong)}, accuracy ${rate(found + rejected, own + rest)}.`;
    table.replaceChildren(tableOf(counts, tr(td(), ...predicted), lines), make("p", {}, rates));
    for (const move of marks) move?.();
  };
  slider.addEventListener("input", () => set(Number(slider.value)));
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
    const words = (name) => make("td", { class: "words" }, make("bdi", {}, name));
    const line = ({ i, number, truth, predicted, probability }) => {
      const open = { type: "button", class: "link", "aria-label": `Explain row ${whole(number)}` };
      const button = make("button", { ...open, on: { click: () => openRow(i) } }, whole(number));
      return make("tr", { "data-row": number }, td(button), words(truth), words(predicted), td(percent(probability)));
    };
    body.replaceChildren(...order.map(line));
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
