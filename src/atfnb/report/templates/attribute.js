// Section 5: one attribute. The distribution of its values, its cuts, and the effects of its values.
let openAttribute = () => {};
const setUpAttribute = () => {
  const pick = $("attribute-pick");
  const charts = $("attribute-charts");
  const ranked = [...detailed].sort((a, b) => b.spread - a.spread || a.position - b.position);
  $("attribute-words").textContent =
    "How many rows have each value, coloured by class; where ChiMerge cuts a number into bins, and which classes are in each bin; and what each value adds for and against a class.";
  pick.replaceChildren(...ranked.map((one) => make("option", { value: one.position }, shorten(one.name, 60))));
  legend($("attribute-legend"));
  const figure = (title, words, ...parts) =>
    make(
      "div",
      { class: "figure" },
      make("h3", {}, title),
      words ? make("p", { class: "dim" }, words) : null,
      ...parts,
    );

  // --- numbers: three pictures over the same axis
  const edgesOf = (histogram) =>
    histogram.equal
      ? Array.from(
          { length: histogram.edges[2] + 1 },
          (_, k) => histogram.edges[0] + (k * (histogram.edges[1] - histogram.edges[0])) / histogram.edges[2],
        )
      : histogram.edges;
  const LEFT = 52;
  const RIGHT = 12;
  const bandAxis = (edges, width) => scale(edges[0], edges[edges.length - 1], LEFT, width - RIGHT);
  const inside = (edges, x, at) => x(Math.min(edges[edges.length - 1], Math.max(edges[0], at)));
  const cutsOf = ({ detail: { cuts, binCuts } }) =>
    binCuts?.among ? binCuts.among.map((k) => cuts[k]) : (binCuts ?? cuts ?? []);
  const barWords = (one, edges, b) => {
    // a bar ends before the next one begins, except for the last
    const first = Math.ceil(edges[b]);
    const last = b === edges.length - 2 ? Math.floor(edges[b + 1]) : Math.ceil(edges[b + 1]) - 1;
    if (one.detail.part) return `${moment(edges[b], one.detail.part)} to ${moment(edges[b + 1], one.detail.part)}`;
    return one.detail.whole && first <= last
      ? wholeRange(first, last)
      : `${number(edges[b])} to ${number(edges[b + 1])}`;
  };
  const cutWords = (one, cut) => {
    const { whole, part } = one.detail;
    if (part) return `cut at ${moment(whole && part === "date" ? Math.ceil(cut) : cut, part)}`;
    return whole ? `cut between ${Math.ceil(cut) - 1} and ${Math.ceil(cut)}` : `cut at ${cut}`;
  };
  const axisWords = ({ detail: { part } }) => (part ? (at) => moment(at, part) : number);
  const axisOf = (one, x, edges, y, width) =>
    axisX(x, edges[0], edges[edges.length - 1], y, width / 110, axisWords(one), one.detail.whole !== null);
  const histogramOf = (one, edges) => (width) => {
    const { counts, ends } = one.detail.histogram;
    const height = 190;
    const x = bandAxis(edges, width);
    const bars = edges.length - 1;
    const totals = Array.from({ length: bars }, (_, b) =>
      counts.slice(b * nSeries, (b + 1) * nSeries).reduce((p, q) => p + q, 0),
    );
    const most = Math.max(...totals, 1);
    const y = scale(0, most, height - 26, 8);
    const parts = [];
    for (const at of ticks(0, most, 3))
      parts.push(
        draw("line", { class: "axis", x1: LEFT, x2: width - RIGHT, y1: y(at), y2: y(at) }),
        text(LEFT - 6, y(at) + 4, number(at), "end"),
      );
    for (let b = 0; b < bars; b++) {
      let base = 0;
      for (let s = 0; s < nSeries; s++) {
        const n = counts[b * nSeries + s];
        if (n)
          parts.push(
            draw(
              "rect",
              {
                x: x(edges[b]) + 0.5,
                width: Math.max(0.5, x(edges[b + 1]) - x(edges[b]) - 1),
                y: y(base + n),
                height: y(base) - y(base + n),
                fill: colour(s),
              },
              draw("title", {}, `${barWords(one, edges, b)}, ${shorten(seriesNames[s], 30)}: ${plural(n, "row")}`),
            ),
          );
        base += n;
      }
    }
    for (const cut of cutsOf(one))
      parts.push(
        draw(
          "line",
          {
            x1: inside(edges, x, cut),
            x2: inside(edges, x, cut),
            y1: 4,
            y2: height - 26,
            stroke: "var(--ink)",
            "stroke-width": 1.3,
            "stroke-dasharray": "4 3",
          },
          draw("title", {}, cutWords(one, cut)),
        ),
      );
    return picture(
      width,
      height,
      `Histogram of ${shorten(one.name)} by class, with ${plural(cutsOf(one).length, "cut")}`,
      ...parts,
      ...axisOf(one, x, edges, height - 26, width),
      ends[0] ? text(LEFT, height - 30, "◂ and less", "start") : null,
      ends[1] ? text(width - RIGHT, height - 30, "and more ▸", "end") : null,
    );
  };
  const share = (one, b) => {
    const row = one.detail.bins.slice(b * nSeries, (b + 1) * nSeries);
    const sum = row.reduce((p, q) => p + q, 0);
    return { row, sum };
  };
  const bandOf = (one, edges) => (width) => {
    const cuts = cutsOf(one);
    const x = bandAxis(edges, width);
    const height = 74;
    const parts = [];
    const ends = [edges[0], ...cuts, edges[edges.length - 1]];
    for (let b = 0; b <= cuts.length; b++) {
      const { row, sum } = share(one, b);
      const left = inside(edges, x, ends[b]);
      const right = inside(edges, x, ends[b + 1]);
      let top = 4;
      row.forEach((n, s) => {
        const tall = sum ? (60 * n) / sum : 0;
        if (tall)
          parts.push(
            draw(
              "rect",
              { x: left + 0.75, width: Math.max(0.5, right - left - 1.5), y: top, height: tall, fill: colour(s) },
              draw(
                "title",
                {},
                `${interval(cuts, b, one.detail)}, ${shorten(seriesNames[s], 30)}: ${percent(n / sum, 0)} of ${plural(sum, "row")}`,
              ),
            ),
          );
        top += tall;
      });
    }
    return picture(
      width,
      height,
      "The share of each class in each bin",
      text(LEFT - 6, 14, "100 %", "end"),
      text(LEFT - 6, 64, "0", "end"),
      ...parts,
    );
  };
  const stepsOf = (one, edges) => (width) => {
    const { cuts } = one.detail;
    const height = 200;
    const x = bandAxis(edges, width);
    const chosen = Number($("nomogram-class").value);
    const crowd = K > 4; // of many classes one is drawn strongly
    const shownClasses = twoClasses ? [[1, 1]] : classOfSeries.slice(0, 8).map((c, s) => [c, s]);
    if (!twoClasses && D.series[chosen] === 8) shownClasses.push([chosen, 8]);
    const n = cuts.length + 1;
    const ends = [edges[0], ...cuts, edges[edges.length - 1]];
    const seen = Array.from({ length: n }, (_, v) => v).filter(
      (v) => ends[v] < edges[edges.length - 1] && ends[v + 1] > edges[0],
    ); // the others are beyond the picture
    const at = shownClasses.flatMap(([c]) => seen.map((v) => adds(one, v, c)));
    const low = Math.min(0, ...at);
    const high = Math.max(0, ...at);
    const pad = (high - low) * 0.07 || 0.1;
    const y = scale(low - pad, high + pad, height - 26, 8);
    const rows = ticks(low - pad, high + pad, 4).flatMap((t) => [
      draw("line", { class: t === 0 ? "zero" : "axis", x1: LEFT, x2: width - RIGHT, y1: y(t), y2: y(t) }),
      text(LEFT - 6, y(t) + 4, (t > 0 ? "+" : "") + number(t), "end"),
    ]);
    const lines = shownClasses.flatMap(([c, s]) => {
      const path = seen
        .map(
          (v, k) =>
            `${k ? "V" : `M${inside(edges, x, ends[v])} `}${y(adds(one, v, c)).toFixed(1)}H${inside(edges, x, ends[v + 1]).toFixed(1)}`,
        )
        .join("");
      const last = seen[seen.length - 1];
      const middle = (inside(edges, x, ends[last]) + inside(edges, x, ends[last + 1])) / 2;
      const pale = crowd && c !== chosen;
      const strong = crowd && c === chosen;
      return [
        draw(
          "path",
          {
            class: "stroke",
            d: path,
            stroke: strong && s === 8 ? "var(--ink)" : colour(s),
            "stroke-dasharray": DASHES[twoClasses || strong ? 0 : s],
            style: strong ? "stroke-width:2.6" : pale ? "stroke-width:1;opacity:.5" : null,
          },
          draw("title", {}, shorten(D.classes[c])),
        ),
        mark(s, Math.min(middle + s * 3, width - RIGHT), y(adds(one, last, c)), 4),
      ];
    });
    return picture(
      width,
      height,
      `What ${shorten(one.name)} adds to each class, along its values`,
      ...rows,
      ...lines,
      ...axisOf(one, x, edges, height - 26, width),
    );
  };
  const binTable = (one) => {
    const cuts = cutsOf(one);
    const n = one.detail.bins.length / nSeries;
    const words = (b) => (one.number ? (b > cuts.length ? "missing" : interval(cuts, b, one.detail)) : label(one, b));
    const head = make(
      "tr",
      {},
      make("th", { scope: "col" }, one.number ? "bin" : "value"),
      make("th", { scope: "col" }, "rows"),
      ...seriesNames.map((s) => make("th", { scope: "col" }, named(s, 24))),
    );
    const rows = Array.from({ length: n }, (_, b) => {
      const { row, sum } = share(one, b);
      return make(
        "tr",
        {},
        make("th", { scope: "row" }, named(words(b), 40)),
        make("td", {}, whole(sum)),
        ...row.map((v) => make("td", {}, sum ? percent(v / sum, 0) : "–")),
      );
    });
    return make(
      "details",
      {},
      make("summary", {}, `The ${one.number ? "bins" : "values"} as a table`),
      make(
        "div",
        { class: "scroll", tabindex: 0 },
        make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)),
      ),
    );
  };

  // --- categories: a line for each
  const CATEGORIES = 30;
  const categories = (one) => {
    const n = one.detail.values - 1;
    const order = Array.from({ length: n }, (_, v) => v)
      .sort((a, b) => one.detail.rows[b] - one.detail.rows[a])
      .slice(0, CATEGORIES);
    const most = Math.max(...order.map((v) => one.detail.rows[v]), 1);
    const c = Number($("nomogram-class").value);
    const reach = order.map((v) => adds(one, v, c));
    const low = Math.min(0, ...reach);
    const high = Math.max(0, ...reach, low + 1e-9);
    const stack = (row, sum, width) =>
      make(
        "div",
        { class: "bar main", style: "background:none" },
        ...row.reduce(
          ([left, parts], v, s) => [
            left + (width * v) / (sum || 1),
            v
              ? [
                  ...parts,
                  make("i", {
                    style: `left:${left}%;width:${(width * v) / sum}%;background:${colour(s)};border-radius:0`,
                    title: `${shorten(seriesNames[s], 30)}: ${percent(v / sum, 0)}`,
                  }),
                ]
              : parts,
          ],
          [0, []],
        )[1],
      );
    const lines = order.map((v) => {
      const { row, sum } = share(one, v);
      return make(
        "div",
        { class: "line weight" },
        make("span", { class: "label" }, named(label(one, v), 40)),
        stack(row, sum, 100),
        make("span", { class: "value main" }, whole(sum)),
        smallBar(sum, most, "grey"),
        make("span"),
        bar(adds(one, v, c), low, high, "small effect"),
        make("span", { class: "value side", "data-label": "adds" }, signed(adds(one, v, c))),
      );
    });
    const head = make(
      "div",
      { class: "line weight head" },
      make("span", {}, "value"),
      make("span", {}, "classes among its rows"),
      make("span", { class: "value" }, "rows"),
      make("span"),
      make("span"),
      make("span", { class: "label", title: D.classes[c] }, "for ", named(D.classes[c], 16)),
      make("span"),
    );
    const left = n - order.length + one.detail.leftOut;
    return figure(
      "Its values",
      left ? `The ${CATEGORIES} most frequent of ${plural(n + one.detail.leftOut, "value")}.` : null,
      make("div", { class: "list" }, head, ...lines),
    );
  };
  const show = (one) => {
    pick.value = one.position;
    const d = one.detail;
    const similar = one.similar && one.similar[1] > 0 ? D.attributes[one.similar[0]] : null;
    const fact = (word, value) => make("li", {}, make("span", { class: "dim" }, `${word} `), value);
    $("attribute-facts").replaceChildren(
      make(
        "ul",
        { class: "facts" },
        fact("attribute", make("b", {}, named(one.name, 60))),
        fact("kind", one.detail.part ?? (one.number ? "number" : "category")),
        fact(D.weightWord, number(one.weight)),
        fact("relevance", number(one.relevance)),
        fact("redundancy", number(one.redundancy)),
        d.rowsMissing
          ? fact("missing", `${plural(d.rowsMissing, "row")} (${percent(d.rowsMissing / D.rowsInTable)})`)
          : null,
        similar
          ? make(
              "li",
              {},
              make("span", { class: "dim" }, "most similar "),
              similar.detail ? opener(similar, 30) : named(similar.name, 30),
              ` (similarity ${number(one.similar[1])} of 1)`,
            )
          : null,
        one.constant ? fact("note", "one value only, so it predicts nothing") : null,
      ),
    );
    charts.replaceChildren();
    if (!one.number || !d.histogram) {
      charts.append(categories(one), binTable(one));
      return;
    }
    const edges = edgesOf(d.histogram);
    const boxes = [1, 2, 3].map(() => make("div", { class: "chart" }));
    const cuts = cutsOf(one).length;
    const whose =
      D.binsOf === D.model ? "" : ` (those of ${D.binsOf}; ${D.model} has more cuts, as the steps below show)`;
    charts.append(
      figure(
        `The distribution of its values, and ChiMerge's ${plural(cuts, "cut")}`,
        cuts ? `Dashed lines are the cuts${whose}.` : "ChiMerge has not cut it: all values are in one bin.",
        boxes[0],
      ),
      figure("Which classes are in each bin", null, boxes[1], binTable(one)),
      figure(
        twoClasses
          ? "What its values add for one class against the other"
          : "What its values add for and against each class",
        twoClasses
          ? `Above zero a value speaks for ${shorten(D.classes[1])}, below zero for ${shorten(D.classes[0])}.`
          : K > 4
            ? `The strong line is ${shorten(D.classes[Number($("nomogram-class").value)])}, the class chosen above${D.series.includes(8) ? "; the other lines are the eight most frequent classes" : ""}.`
            : null,
        boxes[2],
        d.missingIsValue
          ? make(
              "p",
              { class: "dim" },
              `A missing value adds ${(twoClasses ? [1] : classOfSeries.slice(0, 8)).map((c) => `${signed(adds(one, d.values - 2, c))} for ${shorten(D.classes[c], 24)}`).join(", ")}.`,
            )
          : null,
      ),
    );
    for (const [k, paint] of [histogramOf, bandOf, stepsOf].entries()) responsive(boxes[k], paint(one, edges));
  };
  const step = (by) =>
    show(ranked[(ranked.findIndex((one) => one.position === Number(pick.value)) + by + ranked.length) % ranked.length]);
  openAttribute = (j, scroll) => {
    if (!D.attributes[j].detail) return;
    show(D.attributes[j]);
    if (scroll) $("attribute").scrollIntoView();
  };
  pick.addEventListener("change", () => show(D.attributes[Number(pick.value)]));
  $("nomogram-class").addEventListener("change", () => show(D.attributes[Number(pick.value)]));
  $("attribute-previous").addEventListener("click", () => step(-1));
  $("attribute-next").addEventListener("click", () => step(1));
  show(ranked[0]);
};
