// What counts: attributes and pairs by their share of the total effect; behind each attribute its effects and values.
const TOP = 15;
const setUpCounts = () => {
  const pick = $("counts-class");
  const search = $("counts-search");
  const toggle = $("counts-all");
  const list = $("counts-list");
  const items = [
    ...D.attributes.map((one) => ({ name: one.name, share: one.share, one })),
    ...D.pairs.map((pair, p) => ({ name: pair.of.map((j) => D.attributes[j].name).join(" × "), share: pair.share, p })),
  ]
    .map((item, k) => ({ ...item, k }))
    .sort((a, b) => b.share - a.share || a.k - b.k);
  const most = Math.max(...items.map((item) => item.share), 1e-12);
  const opened = new Set([items.find((item) => item.one?.detail)?.k]);
  let all = false;
  classOptions(pick, twoClasses ? 1 : D.classRows.indexOf(Math.max(...D.classRows)));
  $("counts-class-box").hidden = twoClasses;
  const chosen = () => Number(pick.value);
  $("counts-words").textContent =
    "How much each attribute counts: its share of the total effect on the joint log-likelihoods, on an average row. Open one to see what its values add " +
    (twoClasses
      ? `for ${shorten(D.classes[1], 40)} (above zero) or for ${shorten(D.classes[0], 40)} (below).`
      : "for (above zero) or against the class that is chosen here.") +
    (bands
      ? " Pale bands are 90 % bands for other samples of rows like these, given the cuts, the weights or shrinkage, and the effects of the other columns; where columns are correlated, the effects can vary more."
      : "");

  // --- numbers: the effects as a track with its band, above the histogram of the values
  const edgesOf = (histogram) =>
    histogram.equal
      ? Array.from(
          { length: histogram.edges[2] + 1 },
          (_, k) => histogram.edges[0] + (k * (histogram.edges[1] - histogram.edges[0])) / histogram.edges[2],
        )
      : histogram.edges;
  const barWords = (one, edges, b) => {
    if (one.part === "date" || one.part === "time")
      return `${moment(edges[b], one.part)} to ${moment(edges[b + 1], one.part)}`;
    // a bar ends before the next one begins, except for the last
    const first = Math.ceil(edges[b]);
    const last = b === edges.length - 2 ? Math.floor(edges[b + 1]) : Math.ceil(edges[b + 1]) - 1;
    return one.detail.whole && first <= last
      ? wholeRange(first, last)
      : `${number(edges[b])} to ${number(edges[b + 1])}`;
  };
  const summary = (one, c) => {
    const values = Array.from({ length: one.detail.values - 1 }, (_, v) => v);
    const low = values.reduce((a, v) => (adds(one, v, c) < adds(one, a, c) ? v : a), 0);
    const high = values.reduce((a, v) => (adds(one, v, c) > adds(one, a, c) ? v : a), 0);
    const say = (v) => `${signed(adds(one, v, c))} at ${shorten(label(one, v), 30)}`;
    return `What ${shorten(one.name)} adds for ${shorten(D.classes[c])}: from ${say(low)} to ${say(high)}`;
  };
  const ofNumber = (one) => (width) => {
    const { cuts, histogram, missingIsValue, values } = one.detail;
    const edges = edgesOf(histogram);
    const left = 52;
    const right = width - (missingIsValue ? 74 : 12);
    const [top, middle, gap, bars] = [14, 190, 12, 62];
    const floor = middle + gap + bars;
    const x = scale(edges[0], edges[edges.length - 1], left, right);
    const inside = (at) => x(Math.min(edges[edges.length - 1], Math.max(edges[0], at)));
    const c = chosen();
    const ends = [edges[0], ...cuts, edges[edges.length - 1]];
    const seen = Array.from({ length: cuts.length + 1 }, (_, v) => v).filter(
      (v) => cuts.length === 0 || (ends[v] < edges[edges.length - 1] && ends[v + 1] > edges[0]),
    ); // the others are beyond the picture
    const pale = twoClasses ? [] : classOfSeries.slice(0, 8).filter((other) => other !== c);
    const gone = missingIsValue ? [values - 2] : [];
    const reach = [...seen, ...gone].flatMap((v) => [
      adds(one, v, c) - reaches(one, v, c),
      adds(one, v, c) + reaches(one, v, c),
    ]);
    const others = pale.flatMap((other) => seen.map((v) => adds(one, v, other)));
    const low = Math.min(0, ...reach, ...others);
    const high = Math.max(0, ...reach, ...others);
    const pad = (high - low) * 0.06 || 0.1;
    const y = scale(low - pad, high + pad, middle, top);
    const grid = ticks(low - pad, high + pad, 6).flatMap((t) => [
      draw("line", { class: t === 0 ? "zero" : "axis", x1: left, x2: right, y1: y(t), y2: y(t) }),
      text(left - 6, y(t) + 4, (t > 0 ? "+" : "") + number(t), "end"),
    ]);
    const steps = (height) =>
      seen
        .map(
          (v, k) =>
            `${k ? "V" : `M${inside(ends[v]).toFixed(1)} `}${y(height(v)).toFixed(1)}H${inside(ends[v + 1]).toFixed(1)}`,
        )
        .join("");
    const back = (height) =>
      [...seen]
        .reverse()
        .map((v) => `V${y(height(v)).toFixed(1)}H${inside(ends[v]).toFixed(1)}`)
        .join("");
    const ink = twoClasses ? "var(--accent)" : D.series[c] === 8 ? "var(--ink)" : colour(D.series[c]);
    const band = bands
      ? draw("path", {
          d: `${steps((v) => adds(one, v, c) + reaches(one, v, c))}${back((v) => adds(one, v, c) - reaches(one, v, c))}Z`,
          fill: ink,
          "fill-opacity": 0.18,
        })
      : null;
    const thin = pale.map((other) =>
      draw(
        "path",
        {
          class: "stroke",
          d: steps((v) => adds(one, v, other)),
          stroke: colour(D.series[other]),
          "stroke-dasharray": DASHES[D.series[other]],
          style: "stroke-width:1;opacity:.6",
        },
        draw("title", {}, shorten(D.classes[other])),
      ),
    );
    const labels =
      seen.length <= 8
        ? seen.map((v) => {
            const wide = inside(ends[v + 1]) - inside(ends[v]);
            const value = adds(one, v, c);
            return wide < 40
              ? null
              : text(
                  (inside(ends[v]) + inside(ends[v + 1])) / 2,
                  y(value) + (value < 0 ? 15 : -6),
                  signed(value),
                  "middle",
                  { class: "ink" },
                );
          })
        : [];
    const lost = gone.flatMap((v) => {
      const [at, value, half] = [width - 38, adds(one, v, c), reaches(one, v, c)];
      return [
        draw("line", {
          x1: at,
          x2: at,
          y1: y(value - half),
          y2: y(value + half),
          stroke: ink,
          "stroke-width": 7,
          "stroke-opacity": 0.25,
        }),
        draw("circle", { cx: at, cy: y(value), r: 4, fill: ink }, draw("title", {}, `missing: ${signed(value)}`)),
        text(at, floor + 18, "missing"),
      ];
    });
    const tall = Math.max(
      ...Array.from({ length: edges.length - 1 }, (_, b) =>
        histogram.counts.slice(b * nSeries, (b + 1) * nSeries).reduce((p, q) => p + q, 0),
      ),
      1,
    );
    const h = scale(0, tall, 0, bars);
    const boxes = [];
    for (let b = 0; b < edges.length - 1; b++) {
      let base = 0;
      for (let s = 0; s < nSeries; s++) {
        const n = histogram.counts[b * nSeries + s];
        if (n)
          boxes.push(
            draw(
              "rect",
              {
                x: x(edges[b]) + 0.5,
                width: Math.max(0.5, x(edges[b + 1]) - x(edges[b]) - 1),
                y: floor - h(base + n),
                height: h(n),
                fill: colour(s),
              },
              draw("title", {}, `${barWords(one, edges, b)}, ${shorten(seriesNames[s], 30)}: ${plural(n, "row")}`),
            ),
          );
        base += n;
      }
    }
    const isMoment = one.part === "date" || one.part === "time";
    const wanted = Math.max(2, (right - left) / 110);
    const axis = (
      isMoment
        ? momentTicks(edges[0], edges[edges.length - 1], wanted, one.part)
        : ticks(edges[0], edges[edges.length - 1], wanted)
    )
      .filter((at) => isMoment || one.detail.whole === null || Number.isInteger(at))
      .flatMap((at) => [
        draw("line", { class: "axis", x1: x(at), x2: x(at), y1: top, y2: floor + 5 }),
        text(x(at), floor + 18, isMoment ? moment(at, one.part) : number(at)),
      ]);
    return picture(
      width,
      floor + 26,
      `${summary(one, c)}; below, the histogram of its values by class.`,
      ...axis,
      ...grid,
      ...thin,
      band,
      draw("path", { class: "stroke", d: steps((v) => adds(one, v, c)), stroke: ink, style: "stroke-width:2.4" }),
      ...labels.filter(Boolean),
      ...boxes,
      ...lost,
      text(left - 6, floor - bars + 9, whole(tall), "end"),
      text(left - 6, floor, "0", "end"),
      histogram.ends[0] ? text(left + 2, floor - bars - 2, "◂ and less", "start") : null,
      histogram.ends[1] ? text(right - 2, floor - bars - 2, "and more ▸", "end") : null,
    );
  };

  // --- categories: a line for each, its effect as a dot with its band, and its rows by class
  const CATEGORIES = 30;
  const ofCategories = (one) => {
    const n = one.detail.values - 1;
    const c = chosen();
    const frequent = Array.from({ length: n }, (_, v) => v)
      .sort((a, b) => one.detail.rows[b] - one.detail.rows[a])
      .slice(0, CATEGORIES);
    const order = one.ordered
      ? frequent.sort((a, b) => a - b)
      : frequent.sort((a, b) => adds(one, b, c) - adds(one, a, c));
    const ends = order.flatMap((v) => [adds(one, v, c) - reaches(one, v, c), adds(one, v, c) + reaches(one, v, c)]);
    const low = Math.min(0, ...ends);
    const high = Math.max(0, ...ends, low + 1e-9);
    const percentAt = (v) => (100 * (v - low)) / (high - low);
    const mostRows = Math.max(...order.map((v) => one.detail.rows[v]), 1);
    const stack = (v) => {
      const row = one.detail.counts.slice(v * nSeries, (v + 1) * nSeries);
      let left = 0;
      const parts = row.flatMap((rows, s) => {
        const wide = (100 * rows) / mostRows;
        left += wide;
        return rows
          ? [
              make("i", {
                style: `left:${left - wide}%;width:${wide}%;background:${colour(s)};border-radius:0`,
                title: `${shorten(seriesNames[s], 30)}: ${whole(rows)}`,
              }),
            ]
          : [];
      });
      return make("div", { class: "bar small" }, ...parts);
    };
    const line = (v) => {
      const [value, half] = [adds(one, v, c), reaches(one, v, c)];
      return make(
        "div",
        { class: "line value-line", "data-value": v },
        make("span", { class: "label" }, named(label(one, v), 60)),
        make(
          "div",
          {
            class: `track ${value < 0 ? "no" : ""}`,
            style: `--zero:${percentAt(0)}%`,
            role: "img",
            "aria-label": `${signed(value)}${bands ? `, 90 % band ${signed(value - half)} to ${signed(value + half)}` : ""}`,
          },
          make("u", {
            style: `left:${Math.min(percentAt(0), percentAt(value))}%;width:${Math.abs(percentAt(value) - percentAt(0))}%`,
          }),
          half
            ? make("i", {
                style: `left:${percentAt(value - half)}%;width:${percentAt(value + half) - percentAt(value - half)}%`,
              })
            : null,
          make("b", { style: `left:${percentAt(value)}%` }),
        ),
        make("span", { class: "value" }, signed(value)),
        stack(v),
        make("span", { class: "value dim" }, plural(one.detail.rows[v], "row")),
      );
    };
    const leftOut = n - order.length + one.detail.leftOut;
    return make(
      "div",
      { class: "list", role: "group", "aria-label": summary(one, c) },
      ...order.map(line),
      leftOut
        ? make("p", { class: "dim" }, `The ${CATEGORIES} most frequent of ${plural(n + one.detail.leftOut, "value")}.`)
        : null,
    );
  };
  const tableOf = (one) => {
    const c = chosen();
    const n = one.detail.values - 1;
    const heads = ["value", "rows", "adds", ...(bands ? ["90 % band"] : [])];
    const rows = Array.from({ length: n }, (_, v) => {
      const [value, half] = [adds(one, v, c), reaches(one, v, c)];
      return make(
        "tr",
        {},
        make("th", { scope: "row" }, named(label(one, v), 60)),
        make("td", {}, whole(one.detail.rows[v])),
        make("td", {}, signed(value)),
        bands ? make("td", {}, `${signed(value - half)} to ${signed(value + half)}`) : null,
      );
    });
    return make(
      "details",
      { class: "folded" },
      make("summary", {}, "As a table"),
      make(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": `${shorten(one.name)} as a table` },
        make(
          "table",
          {},
          make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
          make("tbody", {}, ...rows),
        ),
      ),
    );
  };
  const panel = (one) => {
    const d = one.detail;
    const c = chosen();
    const facts = [
      one.missing
        ? `${plural(one.missing, "row")} of ${whole(D.rowsInTable)} (${percent(one.missing / D.rowsInTable)}) have no value`
        : null,
      one.constant ? "one value only, so it predicts nothing" : null,
      one.unused ? `${whole(one.unused)} values that do not help to predict the class, so it is not used` : null,
    ].filter(Boolean);
    if (one.unused) return make("div", { class: "panel" }, make("p", { class: "dim" }, `${facts.join("; ")}.`));
    const box = make("div", { class: "chart" });
    const key = make("div", { class: "legend" });
    legend(key);
    const parts = d.cuts && d.histogram ? [box] : [ofCategories(one)];
    const content = make(
      "div",
      { class: "panel" },
      facts.length ? make("p", { class: "dim" }, `${facts.join("; ")}.`) : null,
      make(
        "p",
        { class: "dim" },
        "What its values add for ",
        make("b", {}, named(D.classes[c], 40)),
        twoClasses ? " against " : "",
        twoClasses ? named(D.classes[0], 40) : "",
        "; rows by class:",
      ),
      key,
      ...parts,
      tableOf(one),
    );
    if (d.cuts && d.histogram) responsive(box, ofNumber(one));
    return content;
  };
  const itemOf = (item) => {
    const line = [
      make(
        "span",
        { class: "label" },
        named(item.name, 80),
        item.one ? null : make("span", { class: "dim" }, " together"),
      ),
      smallBar(item.share, most, item.one ? "" : "hatch"),
      make("span", { class: "value" }, percent(item.share)),
    ];
    if (!item.one)
      return make(
        "div",
        { class: "item pair" },
        make("button", { type: "button", class: "line count", on: { click: () => openPair(item.p) } }, ...line),
      );
    if (!item.one.detail) return make("div", { class: "item" }, make("div", { class: "line count" }, ...line));
    const box = make(
      "details",
      { class: "item", "data-attribute": item.one.position },
      make("summary", { class: "line count" }, ...line),
    );
    const fillIn = () => {
      if (box.open) opened.add(item.k);
      else opened.delete(item.k);
      if (box.open && box.children.length === 1) box.append(panel(item.one));
    };
    box.addEventListener("toggle", fillIn);
    if (opened.has(item.k)) {
      box.open = true;
      box.append(panel(item.one));
    }
    return box;
  };
  const show = () => {
    const found = search.value.trim() ? items.filter((item) => matches(item.name, search.value)) : items;
    const shown = all ? found.slice(0, 500) : found.slice(0, TOP);
    list.replaceChildren(...shown.map(itemOf));
    const hidden = D.attributes.length - detailed.length;
    $("counts-note").textContent =
      (found.length === 0
        ? "No attribute has that in its name. "
        : shown.length < found.length
          ? `${shown.length} of ${whole(found.length)} attributes${D.pairs.length ? " and pairs" : ""}, the largest share first. `
          : "") +
      (hidden
        ? `This page has no room for the values of the ${plural(hidden, "attribute")} with the smallest share. `
        : "") +
      (D.effectBytes === 1
        ? "As there are many values here, effects are rounded to about 1 % of the attribute's largest."
        : "");
    toggle.textContent = all ? `Show the top ${TOP}` : `Show all ${whole(items.length)}`;
  };
  toggle.hidden = items.length <= TOP;
  search.closest("label").hidden = items.length <= 8;
  search.closest(".controls").hidden = items.length <= 8 && twoClasses;
  pick.addEventListener("change", show);
  search.addEventListener("input", show);
  toggle.addEventListener("click", () => {
    all = !all;
    show();
  });
  show();
};
