// Section 3: what each value of each attribute adds for and against a class.
const NOMOGRAM_TOP = 12;
const twoClasses = K === 2;
// For two classes the difference between them; for more, what a value adds beyond its mean over all classes.
const adds = (attribute, value, c) =>
  twoClasses ? effect(attribute, value, c) - effect(attribute, value, 1 - c) : effect(attribute, value, c);

const classOptions = (select, chosen) => {
  select.replaceChildren(
    ...D.classes.map((text, c) => make("option", { value: c, selected: c === chosen }, shorten(text, 60))),
  );
};
const setUpNomogram = () => {
  const pick = $("nomogram-class");
  const search = $("nomogram-search");
  const toggle = $("nomogram-all");
  const list = $("nomogram-list");
  const ranked = [...detailed].sort((a, b) => b.spread - a.spread || a.position - b.position);
  let all = false;
  classOptions(pick, twoClasses ? 1 : D.classRows.indexOf(Math.max(...D.classRows)));
  $("nomogram-words").textContent =
    "Each dot is a value of the attribute: to the right it speaks for the class, to the left against it; the larger the dot, the more rows have it. " +
    (twoClasses
      ? "The scale is the logarithm of the odds against the other class: +0.7 doubles them, −0.7 halves them."
      : "The scale is what the value adds to the joint log-likelihood of this class, less what it adds to all classes on average.") +
    (D.effectBytes === 1
      ? " As there are many values here, the numbers are rounded to about 1 % of the attribute's largest."
      : "");
  const values = (one, c) =>
    Array.from({ length: one.detail.values - 1 }, (_, value) => ({
      value,
      at: adds(one, value, c),
      rows: one.detail.rows[value],
    }));
  const strip = (one, c, low, high) => {
    const points = values(one, c);
    const sorted = [...points].sort((a, b) => a.at - b.at);
    const total = D.rowsInTable;
    const box = make("div", {
      tabindex: 0,
      role: "group",
      "aria-label": `${shorten(one.name)}: the arrow keys go through its values`,
    });
    let current = -1;
    const status = make("span", { role: "status" });
    const least = sorted[0];
    const most = sorted[sorted.length - 1];
    const said = (point) => `${shorten(label(one, point.value), 28)} (${signed(point.at)})`;
    const end = (point, before, after) =>
      make(
        "span",
        { title: label(one, point.value) },
        before,
        named(label(one, point.value), 28),
        make("span", {}, `(${signed(point.at)})${after}`),
      );
    const ends = make(
      "div",
      { class: "ends" },
      end(least, "◂", ""),
      status,
      most === least ? null : end(most, "", " ▸"),
    );
    const paint = (width) => {
      const x = scale(low, high, 12, width - 12);
      const dots = points.map((point) =>
        draw("circle", {
          cx: x(point.at),
          cy: 13,
          r: 2.5 + 7 * Math.sqrt(point.rows / total),
          "data-value": point.value,
          fill: point.at >= 0 ? "var(--for)" : "var(--paper)",
          stroke: point.at >= 0 ? "var(--for)" : "var(--no)",
          "stroke-width": 1.6,
          "fill-opacity": point.at >= 0 ? 0.55 : 0.7,
        }),
      );
      const ring = draw("circle", { r: 0, cy: 13, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
      const choose = (k) => {
        current = k;
        const point = sorted[k];
        ring.setAttribute("cx", x(point.at));
        ring.setAttribute("r", 5 + 7 * Math.sqrt(point.rows / total));
        status.replaceChildren(
          make("b", {}, named(label(one, point.value), 34), ` (${signed(point.at)})`),
          `, ${plural(point.rows, "row")}`,
        );
      };
      const svg = picture(
        width,
        26,
        `${shorten(one.name)}, from ${said(least)} to ${said(most)}`,
        draw("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: 26, "stroke-dasharray": "2 2" }),
        draw("line", { class: "axis", x1: x(least.at), x2: x(most.at), y1: 13, y2: 13, "stroke-width": 2 }),
        ...dots,
        ring,
      );
      box.onpointermove = (event) => {
        const frame = svg.getBoundingClientRect();
        const at = ((event.clientX - frame.left) * width) / frame.width;
        let nearest = 0;
        sorted.forEach((point, k) => {
          if (Math.abs(x(point.at) - at) < Math.abs(x(sorted[nearest].at) - at)) nearest = k;
        });
        if (nearest !== current) choose(nearest);
      };
      box.onkeydown = (event) => {
        const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        choose(
          Math.min(sorted.length - 1, Math.max(0, current < 0 ? (step > 0 ? 0 : sorted.length - 1) : current + step)),
        );
      };
      return svg;
    };
    return [
      make(
        "div",
        { class: "strip", "data-attribute": one.position },
        make("span", { class: "label" }, opener(one)),
        make("div", {}, box, ends),
      ),
      box,
      paint,
    ];
  };
  const show = () => {
    const c = Number(pick.value);
    const found = search.value.trim() ? ranked.filter((one) => matches(one.name, search.value)) : ranked;
    const shown = all ? found.slice(0, 100) : found.slice(0, NOMOGRAM_TOP);
    const at = shown.flatMap((one) => values(one, c).map((point) => point.at));
    const low = Math.min(
      -0.01,
      at.reduce((a, b) => Math.min(a, b), 0),
    );
    const high = Math.max(
      0.01,
      at.reduce((a, b) => Math.max(a, b), 0),
    );
    const axis = make("div");
    const strips = shown.map((one) => strip(one, c, low, high));
    list.replaceChildren(make("div", { class: "strip head" }, make("span"), axis), ...strips.map(([line]) => line));
    responsive(axis, (width) => {
      const x = scale(low, high, 12, width - 12);
      return picture(
        width,
        40,
        "for and against",
        text(12, 12, "◂ against", "start"),
        text(width - 12, 12, "for ▸", "end"),
        ...axisX(x, low, high, 14, width / 90, (v) => (v > 0 ? "+" : "") + number(v)),
      );
    });
    for (const [, box, paint] of strips) responsive(box, paint);
    const hidden = D.attributes.length - detailed.length;
    $("nomogram-note").textContent =
      (found.length === 0
        ? "No attribute has that in its name. "
        : shown.length < found.length
          ? `${shown.length} of ${plural(found.length, "attribute")}, those with the largest effects. `
          : "") +
      (hidden ? `This page has no room for the ${plural(hidden, "attribute")} with the smallest effects.` : "");
    toggle.textContent = all
      ? `Show the top ${NOMOGRAM_TOP}`
      : `Show ${ranked.length > 100 ? "100" : `all ${ranked.length}`}`;
  };
  toggle.hidden = ranked.length <= NOMOGRAM_TOP;
  search.closest("label").hidden = ranked.length <= 8;
  pick.addEventListener("change", show);
  search.addEventListener("input", show);
  toggle.addEventListener("click", () => {
    all = !all;
    show();
  });
  show();
};
