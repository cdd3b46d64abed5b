// What counts: attributes and pairs by their share of the total effect; behind each attribute its effects and values.
const TOP = 15;
const CATEGORIES = 30;
const countsShown = { all: false, opened: new Set(), items: [] };
const chosenClass = () => Number($("counts-class").value);

// --- numbers: the effects as a track with its band, above the histogram of the values
const edgesOf = ({ low, high, counts }) => {
  const n = counts.length / nSeries; // the difference of two numbers may be too large for a float
  return upTo(n + 1).map((k) => low * (1 - k / n) + high * (k / n));
};
const isMoment = (one) => one.part === "date" || one.part === "time";
const barWords = (one, edges, b) => {
  if (isMoment(one)) return `${moment(edges[b], one.part)} to ${moment(edges[b + 1], one.part)}`;
  // a bar ends before the next one begins, except for the last
  const first = Math.ceil(edges[b]);
  const last = b === edges.length - 2 ? Math.floor(edges[b + 1]) : Math.ceil(edges[b + 1]) - 1;
  return one.detail.whole && first <= last ? wholeRange(first, last) : `${number(edges[b])} to ${number(edges[b + 1])}`;
};
const summary = (one, c) => {
  const values = upTo(one.detail.values - 1);
  const low = values.reduce((a, v) => (adds(one, v, c) < adds(one, a, c) ? v : a), 0);
  const high = values.reduce((a, v) => (adds(one, v, c) > adds(one, a, c) ? v : a), 0);
  const say = (v) => `${signed(adds(one, v, c))} at ${shorten(label(one, v), 30)}`;
  return `What ${shorten(one.name)} adds for ${shorten(D.classes[c])}: from ${say(low)} to ${say(high)}`;
};
const bandOf = (one, v, c) => [adds(one, v, c) - reaches(one, v, c), adds(one, v, c) + reaches(one, v, c)];

// What all parts of the picture of a number share: its scales, and the intervals that are in it.
const trackOf = (one, width) => {
  const { cuts, histogram, missingIsValue, values } = one.detail;
  const c = chosenClass();
  const edges = edgesOf(histogram);
  const [first, last] = [edges[0], edges[edges.length - 1]];
  const [left, right] = [52, width - (missingIsValue ? 74 : 12)];
  const [top, middle, bars] = [14, 190, 62];
  const x = scale(first, last, left, right);
  const ends = [first, ...cuts, last];
  const seen = upTo(cuts.length + 1).filter((v) => cuts.length === 0 || (ends[v] < last && ends[v + 1] > first)); // the others are beyond the picture
  const gone = missingIsValue ? [values - 2] : [];
  const pale = twoClasses ? [] : classOfSeries.slice(0, 8).filter((other) => other !== c);
  const heights = [
    ...[...seen, ...gone].flatMap((v) => bandOf(one, v, c)),
    ...pale.flatMap((other) => seen.map((v) => adds(one, v, other))),
    ...[...seen, ...gone].map((v) => learned(one, v, c)),
  ];
  const [low, high] = [Math.min(0, ...heights), Math.max(0, ...heights)];
  const pad = (high - low) * (isOpen(one) ? 0.3 : 0.06) || 0.1; // room to drag
  return {
    ...{ one, width, c, edges, ends, seen, gone, pale, left, right, top, bars, x },
    floor: middle + 12 + bars,
    range: [low - pad, high + pad],
    y: scale(low - pad, high + pad, middle, top),
    inside: (v) => x(Math.min(last, Math.max(first, ends[v]))),
    ink: twoClasses ? "var(--accent)" : D.series[c] === 8 ? "var(--ink)" : colour(D.series[c]),
  };
};
const stepsOf = ({ seen, inside, y }, height) =>
  seen
    .map((v, k) => `${k ? "V" : `M${inside(v).toFixed(1)} `}${y(height(v)).toFixed(1)}H${inside(v + 1).toFixed(1)}`)
    .join("");
const trackGrid = ({ range, left, right, y }) =>
  ticks(...range, 6).flatMap((t) => [
    draw("line", { class: t === 0 ? "zero" : "axis", x1: left, x2: right, y1: y(t), y2: y(t) }),
    text(left - 6, y(t) + 4, (t > 0 ? "+" : "") + number(t), "end"),
  ]);
const trackBand = (track) => {
  const { one, c, seen, inside, y, ink } = track;
  if (!bands) return null;
  const back = [...seen].reverse().map((v) => `V${y(bandOf(one, v, c)[0]).toFixed(1)}H${inside(v).toFixed(1)}`);
  const d = `${stepsOf(track, (v) => bandOf(one, v, c)[1])}${back.join("")}Z`;
  return draw("path", { d, fill: ink, "fill-opacity": 0.18 });
};
const learnedTrack = (track) => {
  if (!isEdited(track.one)) return null;
  const d = stepsOf(track, (v) => learned(track.one, v, track.c));
  return draw("path", { class: "stroke learned", d }, draw("title", {}, "as it was learned"));
};
const otherTracks = (track) =>
  track.pale.map((other) => {
    const d = stepsOf(track, (v) => adds(track.one, v, other));
    const [stroke, dashes] = [colour(D.series[other]), DASHES[D.series[other]]];
    const style = "stroke-width:1;opacity:.6";
    const title = draw("title", {}, shorten(D.classes[other]));
    return draw("path", { class: "stroke", d, stroke, "stroke-dasharray": dashes, style }, title);
  });
const trackLabels = ({ one, c, seen, inside, y }) =>
  seen
    .filter((v) => seen.length <= 8 && inside(v + 1) - inside(v) >= 40)
    .map((v) => {
      const value = adds(one, v, c);
      const [at, height] = [(inside(v) + inside(v + 1)) / 2, y(value) + (value < 0 ? 15 : -6)];
      return text(at, height, signed(value), "middle", { class: "ink" });
    });
const missingMark = ({ one, c, gone, width, floor, y, ink }) =>
  gone.flatMap((v) => {
    const [at, value, [low, high]] = [width - 38, adds(one, v, c), bandOf(one, v, c)];
    const line = { x1: at, x2: at, y1: y(low), y2: y(high) };
    return [
      draw("line", { ...line, stroke: ink, "stroke-width": 7, "stroke-opacity": 0.25 }),
      draw("circle", { cx: at, cy: y(value), r: 4, fill: ink }, draw("title", {}, `missing: ${signed(value)}`)),
      text(at, floor + 18, "missing"),
    ];
  });
const histogramBars = ({ one, edges, x, floor, bars }, tallest) => {
  const h = scale(0, tallest, 0, bars);
  return upTo(edges.length - 1).flatMap((b) => {
    let base = 0;
    return upTo(nSeries).flatMap((s) => {
      const n = one.detail.histogram.counts[b * nSeries + s];
      if (!n) return [];
      base += n;
      const words = `${barWords(one, edges, b)}, ${shorten(seriesNames[s], 30)}: ${plural(n, "row")}`;
      const width = Math.max(0.5, x(edges[b + 1]) - x(edges[b]) - 1);
      const place = { x: x(edges[b]) + 0.5, width, y: floor - h(base), height: h(n) };
      return [draw("rect", { ...place, fill: colour(s) }, draw("title", {}, words))];
    });
  });
};
const trackAxis = ({ one, edges, left, right, top, floor, x }) => {
  const wanted = Math.max(2, (right - left) / 110);
  const [low, high] = [edges[0], edges[edges.length - 1]];
  const found = isMoment(one) ? momentTicks(low, high, wanted, one.part) : ticks(low, high, wanted);
  return found
    .filter((at) => isMoment(one) || one.detail.whole === null || Number.isInteger(at))
    .flatMap((at) => [
      draw("line", { class: "axis", x1: x(at), x2: x(at), y1: top, y2: floor + 5 }),
      text(x(at), floor + 18, isMoment(one) ? moment(at, one.part) : number(at)),
    ]);
};
const numberPicture = (one) => (width) => {
  const track = trackOf(one, width);
  const { c, left, right, floor, bars, ink } = track;
  const { counts, below, above } = one.detail.histogram;
  const sums = upTo(counts.length / nSeries).map((b) =>
    counts.slice(b * nSeries, (b + 1) * nSeries).reduce((p, q) => p + q, 0),
  );
  const tallest = Math.max(...sums, 1);
  const d = stepsOf(track, (v) => adds(one, v, c));
  return picture(
    width,
    floor + 26,
    `${summary(one, c)}; below, the histogram of its values by class.`,
    ...trackAxis(track),
    ...trackGrid(track),
    ...otherTracks(track),
    trackBand(track),
    learnedTrack(track),
    draw("path", { class: "stroke", d, stroke: ink, style: "stroke-width:2.4" }),
    ...trackLabels(track),
    ...histogramBars(track, tallest),
    ...missingMark(track),
    ...editMarks(track),
    text(left - 6, floor - bars + 9, whole(tallest), "end"),
    text(left - 6, floor, "0", "end"),
    below ? text(left + 2, floor - bars - 2, "◂ and less", "start") : null,
    above ? text(right - 2, floor - bars - 2, "and more ▸", "end") : null,
  );
};

// --- categories: a line for each, its effect as a dot with its band, and its rows by class
const rowsBySeries = (one, v, mostRows) => {
  let left = 0;
  const parts = one.detail.counts.slice(v * nSeries, (v + 1) * nSeries).flatMap((rows, s) => {
    const wide = (100 * rows) / mostRows;
    left += wide;
    const style = `left:${left - wide}%;width:${wide}%;background:${colour(s)};border-radius:0`;
    return rows ? [make("i", { style, title: `${shorten(seriesNames[s], 30)}: ${whole(rows)}` })] : [];
  });
  return make("div", { class: "bar small" }, ...parts);
};
const learnedMark = (at) => draw("line", { class: "learned", x1: `${at}%`, x2: `${at}%`, y1: 0, y2: "100%" });
const effectTrack = (one, v, c, percentAt) => {
  const value = adds(one, v, c);
  const [low, high] = bandOf(one, v, c);
  const [zero, at] = [percentAt(0), percentAt(value)];
  const words = `${signed(value)}${low < high ? `, 90 % band ${signed(low)} to ${signed(high)}` : ""}`;
  const place = (from, to) => ({ x: `${from}%`, width: `${to - from}%`, y: "25%", height: "50%", rx: 3 });
  const kind = { class: `track ${value < 0 ? "no" : ""}`, style: `--zero:${zero}%`, role: "img", "aria-label": words };
  return draw(
    "svg",
    kind,
    draw("line", { x1: `${zero}%`, x2: `${at}%`, y1: "50%", y2: "50%" }),
    low < high ? draw("rect", place(percentAt(low), percentAt(high))) : null,
    isEdited(one) ? learnedMark(percentAt(learned(one, v, c))) : null,
    draw("circle", { cx: `${at}%`, cy: "50%", r: 5.5 }),
  );
};
const showCategories = (one, box) => {
  const n = one.detail.values - 1;
  const c = chosenClass();
  const frequent = upTo(n).sort((a, b) => one.detail.rows[b] - one.detail.rows[a]);
  const order = frequent
    .slice(0, CATEGORIES)
    .sort((a, b) => (one.ordered ? a - b : learned(one, b, c) - learned(one, a, c)));
  const ends = order.flatMap((v) => [...bandOf(one, v, c), learned(one, v, c)]);
  const low = Math.min(0, ...ends);
  const high = Math.max(0, ...ends, low + 1e-9);
  const percentAt = (v) => (100 * (v - low)) / (high - low);
  const mostRows = Math.max(...order.map((v) => one.detail.rows[v]), 1);
  const line = (v) =>
    make(
      "div",
      { class: "line value-line", "data-value": v },
      make("span", { class: "label" }, named(label(one, v), 60)),
      effectTrack(one, v, c, percentAt),
      make("span", { class: "value" }, signed(adds(one, v, c))),
      rowsBySeries(one, v, mostRows),
      make("span", { class: "value dim" }, plural(one.detail.rows[v], "row")),
    );
  const all = n + one.detail.leftOut;
  const few = `The ${CATEGORIES} most frequent of ${plural(all, "value")}.`;
  fill(box, { "data-low": low, "data-high": high }, []);
  box.replaceChildren(...order.map(line), all > order.length ? make("p", { class: "dim" }, few) : "");
};

// --- what is behind an attribute
const valuesTable = (one) => {
  const c = chosenClass();
  const heads = ["value", "rows", "adds", ...(bands ? ["90 % band"] : [])];
  const rows = upTo(one.detail.values - 1).map((v) => {
    const figures = [whole(one.detail.rows[v]), signed(adds(one, v, c))];
    const band = bandOf(one, v, c);
    if (bands) figures.push(band[0] < band[1] ? band.map(signed).join(" to ") : "–");
    return tr(th("row", named(label(one, v), 60)), ...figures.map((figure) => td(figure)));
  });
  const table = tableOf({}, tr(...heads.map((word) => th("col", word))), rows);
  return folded("As a table", scrolled(`${shorten(one.name)} as a table`, table));
};
const factsOf = ({ missing, constant, unused }) => {
  const share = percent(missing / D.rowsInTable);
  const facts = [
    missing ? `${plural(missing, "row")} of ${whole(D.rowsInTable)} (${share}) have no value` : null,
    constant ? "one value only, so it predicts nothing" : null,
    unused ? `${whole(unused)} values that do not help to predict the class, so it is not used` : null,
  ].filter(Boolean);
  return facts.length ? make("p", { class: "dim" }, `${facts.join("; ")}.`) : null;
};
const attributePanel = (one) => {
  if (one.unused) return make("div", { class: "panel" }, factsOf(one));
  const key = make("div", { class: "legend" });
  legend(key);
  const hasTrack = one.detail.cuts && one.detail.histogram;
  if (one.detail.values > 1 && (hasTrack || !one.detail.cuts)) key.append(editButton(one) ?? "");
  const against = twoClasses ? [" against ", named(D.classes[0], 40)] : [];
  const words = ["What its values add for ", make("b", {}, named(D.classes[chosenClass()], 40)), ...against];
  const asked = one.detail.asked ? `, ${one.detail.asked} as asked` : "";
  const head = make("p", { class: "dim" }, ...words, `${asked}; rows by class:`);
  const content = hasTrack
    ? make("div", { class: "chart" })
    : make("div", { class: "list", role: "group", "aria-label": summary(one, chosenClass()) });
  const panel = make("div", { class: "panel" }, factsOf(one), head, key, content);
  const redraw = hasTrack ? responsive(content, numberPicture(one)) : () => showCategories(one, content);
  const table = make("div");
  const paint = () => {
    redraw();
    const isUnfolded = table.firstChild?.open ?? false;
    table.replaceChildren(fill(valuesTable(one), { open: isUnfolded }, []));
  };
  paint();
  if (isOpen(one)) {
    const [above, below] = editorOf(one, content, paint);
    content.before(above);
    content.after(below);
  }
  panel.append(table);
  return panel;
};

// --- the list of attributes and pairs
const countedItem = (item) => {
  const most = Math.max(...countsShown.items.map(({ share }) => share), 1e-12);
  const together = item.one ? null : make("span", { class: "dim" }, " together");
  const line = [
    make("span", { class: "label" }, named(item.name, 80), together),
    smallBar(item.share, most, item.one ? "" : "hatch"),
    make("span", { class: "value" }, percent(item.share)),
  ];
  if (!item.one) {
    const open = { type: "button", class: "line count", on: { click: () => openPair(item.p) } };
    return make("div", { class: "item pair" }, make("button", open, ...line));
  }
  if (!item.one.detail) return make("div", { class: "item" }, make("div", { class: "line count" }, ...line));
  const { opened } = countsShown;
  const box = make(
    "details",
    { class: "item", "data-attribute": item.one.position, open: opened.has(item.k) },
    make("summary", { class: "line count" }, ...line),
    opened.has(item.k) ? attributePanel(item.one) : null,
  );
  box.addEventListener("toggle", () => {
    if (box.open) opened.add(item.k);
    else opened.delete(item.k);
    if (box.open && box.children.length === 1) box.append(attributePanel(item.one));
  });
  return box;
};
const showCounts = () => {
  const { all, items } = countsShown;
  const wanted = $("counts-search").value;
  const found = wanted.trim() ? items.filter((item) => matches(item.name, wanted)) : items;
  const shown = found.slice(0, all ? 500 : TOP);
  $("counts-list").replaceChildren(...shown.map(countedItem));
  const hidden = D.attributes.length - detailed.length;
  const few = `${shown.length} of ${whole(found.length)} attributes${D.pairs.length ? " and pairs" : ""}, the largest share first. `;
  $("counts-note").textContent = [
    found.length === 0 ? "No attribute has that in its name. " : shown.length < found.length ? few : "",
    hidden
      ? `This page has no room for the values of the ${plural(hidden, "attribute")} with the smallest share. `
      : "",
    detailed[0].detail.effects.kind === "int8"
      ? "As there are many values here, effects are rounded to about 1 % of the attribute's largest."
      : "",
  ].join("");
  $("counts-all").textContent = all ? `Show the top ${TOP}` : `Show all ${whole(items.length)}`;
};
const countsWords = () => {
  const classWords = twoClasses
    ? `for ${shorten(D.classes[1], 40)} (above zero) or for ${shorten(D.classes[0], 40)} (below).`
    : "for (above zero) or against the class that is chosen here.";
  const bandWords = bands
    ? " Pale bands are 90 % bands for other samples of rows like these, given the cuts, the weights or shrinkage, and the effects of the other columns; where columns are correlated, the effects can vary more."
    : "";
  return `How much each attribute counts: its share of the total effect on the joint log-likelihoods, on an average row. Open one to see what its values add ${classWords}${bandWords}`;
};
const setUpCounts = () => {
  const pairName = (pair) => pair.of.map((j) => D.attributes[j].name).join(" × ");
  const items = [
    ...D.attributes.map((one) => ({ name: one.name, share: one.share, one })),
    ...D.pairs.map((pair, p) => ({ name: pairName(pair), share: pair.share, p })),
  ].map((item, k) => ({ ...item, k }));
  countsShown.items = items.sort((a, b) => b.share - a.share || a.k - b.k);
  countsShown.opened.add(items.find((item) => item.one?.detail)?.k);
  classOptions($("counts-class"), twoClasses ? 1 : D.classRows.indexOf(Math.max(...D.classRows)));
  $("counts-class-box").hidden = twoClasses;
  $("counts-words").textContent = countsWords();
  $("counts-all").hidden = items.length <= TOP;
  $("counts-search").closest("label").hidden = items.length <= 8;
  $("counts-search").closest(".controls").hidden = items.length <= 8 && twoClasses;
  $("counts-class").addEventListener("change", showCounts);
  $("counts-search").addEventListener("input", showCounts);
  $("counts-all").addEventListener("click", () => {
    countsShown.all = !countsShown.all;
    showCounts();
  });
  showCounts();
};
