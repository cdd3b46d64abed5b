// How it works: other values of β. The data hold the step function, so the accuracy at any β is looked up, not estimated.
const setUpBeta = () => {
  const C = D.curve;
  const slider = $("beta-slider");
  const edges = numbersOf(C.edges, Float64Array);
  const accuracies = numbersOf(C.accuracy, Float64Array);
  const steps = accuracies.length;
  const SHOWN = 15;
  let beta = C.beta;
  const stepAt = (at) => edges.findLastIndex((edge) => edge <= at);
  const accuracyAt = (at) => accuracies[Math.min(Math.max(stepAt(at), 0), steps - 1)];
  const weightAt = (j, at) => at * C.relevance[j] - (1 - at) * C.redundancy[j];
  $("beta-words").textContent =
    `Move the slider to see how the weights depend on β: at β = 1 a weight is the attribute’s relevance to the class alone, at β = 0 it is the redundancy with the other attributes alone, which lowers it. The line shows the share of the training rows that the model would get right${C.weighted ? ", each row counted by its weight." : "."}`;
  const [low, high] = C.interval;
  const digits = high - low < 0.001 ? 6 : 4;
  const more =
    C.intervals.length > 1
      ? ` (the widest of ${C.intervals.length === 500 ? "500 or more" : C.intervals.length} equally good ones)`
      : "";
  const left =
    steps < C.allSteps
      ? ` Of its ${whole(C.allSteps)} steps the ${whole(C.allSteps - steps)} narrowest are left out here; the best interval is exact.`
      : ` All ${plural(C.allSteps, "step")} of the line are exact.`;
  $("beta-note").textContent =
    `Best from β = ${low.toFixed(digits)} to ${high.toFixed(digits)}${more}: ${percent(C.best, 2)}.${left}`;

  // the picture; where there are more steps than pixels, the highest and the lowest of each column of pixels
  const lowest = accuracies.reduce((a, b) => Math.min(a, b));
  const highest = accuracies.reduce((a, b) => Math.max(a, b));
  let dot;
  let cursor;
  let x;
  let y;
  const line = (width) => {
    if (steps < 3 * width) {
      const step = (value, k) => `${k ? "V" : `M${x(0)} `}${y(value).toFixed(1)}H${x(edges[k + 1]).toFixed(1)}`;
      return Array.from(accuracies, step).join("");
    }
    const columns = new Map();
    for (const [k, value] of accuracies.entries()) {
      const at = Math.floor(x(edges[k]));
      const [top, bottom] = columns.get(at) ?? [y(value), y(value)];
      columns.set(at, [Math.min(top, y(value)), Math.max(bottom, y(value))]);
    }
    const points = [...columns].map(([at, [top, bottom]], k) => {
      const start = k ? `H${at}V${top.toFixed(1)}` : `M${at} ${top.toFixed(1)}`;
      return `${start}V${bottom.toFixed(1)}`;
    });
    return `${points.join("")}V${y(accuracies[steps - 1]).toFixed(1)}H${x(1)}`;
  };
  const paint = (width) => {
    const height = Math.round(Math.min(280, Math.max(190, width * 0.45)));
    const pad = (highest - lowest) * 0.08 || 0.01;
    x = scale(0, 1, 48, width - 10);
    y = scale(lowest - pad, highest + pad, height - 36, 14);
    const shades = C.intervals.map(([a, b]) =>
      draw("rect", {
        x: x((a + b) / 2) - Math.max(1.5, (x(b) - x(a)) / 2),
        y: 14,
        width: Math.max(3, x(b) - x(a)),
        height: height - 50,
        fill: "var(--accent)",
        "fill-opacity": a === low && b === high ? (x(b) - x(a) < 8 ? 0.5 : 0.2) : 0.12,
      }),
    );
    const rows = ticks(lowest - pad, highest + pad, 4).flatMap((at) => [
      draw("line", { class: "axis", x1: x(0), x2: x(1), y1: y(at), y2: y(at) }),
      text(42, y(at) + 4, `${(100 * at).toFixed(highest - lowest < 0.05 ? 1 : 0)} %`, "end"),
    ]);
    cursor = draw("line", { y1: 14, y2: height - 36, stroke: "var(--ink)", "stroke-width": 1.4 });
    dot = draw("circle", { r: 5, fill: "var(--ink)", stroke: "var(--paper)", "stroke-width": 1.5 });
    const svg = picture(
      width,
      height,
      `Training accuracy as a function of β, from ${percent(lowest)} to ${percent(highest)}; best from ${low.toFixed(4)} to ${high.toFixed(4)}`,
      ...rows,
      ...shades,
      draw("path", { class: "stroke", d: line(width), stroke: "var(--accent)", "stroke-linejoin": "round" }),
      ...axisX(x, 0, 1, height - 36, 5),
      text(x(C.beta), 9, "best", C.beta > 0.93 ? "end" : C.beta < 0.07 ? "start" : "middle"),
      text(width - 10, height - 4, "β →", "end"),
      cursor,
      dot,
    );
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const at = ((event.clientX - box.left) * width) / box.width;
      set(Math.min(1, Math.max(0, (at - x(0)) / (x(1) - x(0)))));
    });
    svg.style.cursor = "crosshair";
    point();
    return svg;
  };
  const point = () => {
    const at = x(beta).toFixed(1);
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
    dot.setAttribute("cx", at);
    dot.setAttribute("cy", y(accuracyAt(beta)));
  };

  // the weights: always in the order of the best β, so that bars move and lines do not jump
  const order = [...D.attributes]
    .sort(
      (a, b) =>
        Math.abs(weightAt(b.position, C.beta)) - Math.abs(weightAt(a.position, C.beta)) || a.position - b.position,
    )
    .slice(0, SHOWN);
  const reach = Math.max(...order.map((one) => Math.max(C.relevance[one.position], C.redundancy[one.position])), 1e-12);
  const floor = -Math.max(...order.map((one) => C.redundancy[one.position]), reach * 0.02);
  const percentAt = (value) => (100 * (value - floor)) / (reach - floor);
  const lines = order.map((one) => {
    const move = make("i");
    const value = make("span", { class: "value" });
    const best = make("b", { style: `left:${percentAt(weightAt(one.position, C.beta))}%`, title: "at the best β" });
    return {
      one,
      move,
      value,
      line: make(
        "div",
        { class: "line beta", "data-attribute": one.position },
        make("span", { class: "label" }, named(one.name, 30)),
        make("div", { class: "bar", style: `--zero:${percentAt(0)}%` }, move, best),
        value,
        make("span", { class: "value dim" }, number(C.relevance[one.position])),
        make("span", { class: "value dim" }, number(C.redundancy[one.position])),
      ),
    };
  });
  const heads = ["attribute", "", "weight", "relevance", "redundancy"];
  const head = make("div", { class: "line beta head" }, ...heads.map((word) => make("span", {}, word)));
  $("beta-weights").append(make("div", { class: "list" }, head, ...lines.map(({ line: l }) => l)));
  $("beta-weights-note").textContent =
    `${D.attributes.length > SHOWN ? `The ${SHOWN} of ${D.attributes.length} attributes that count most at the best β. ` : ""}The tick is the weight at the best β; a hatched bar is a weight below zero. Next to each weight stand the attribute’s relevance and its redundancy.`;
  const set = (to, fromSlider) => {
    beta = to;
    if (!fromSlider) slider.value = to;
    const accuracy = accuracyAt(beta);
    const inside = C.intervals.some(([a, b]) => a <= beta && beta <= b) && accuracy >= C.best - 1e-9;
    $("beta-value").textContent = Number.isInteger(Math.round(beta * 1e9) / 1e6)
      ? beta.toFixed(3)
      : beta.toFixed(digits);
    $("beta-value").dataset.value = beta;
    $("beta-accuracy").textContent = percent(accuracy, 2) + (inside ? " (the best)" : "");
    $("beta-accuracy").dataset.value = accuracy;
    slider.setAttribute("aria-valuetext", `β ${beta.toFixed(3)}, training accuracy ${percent(accuracy, 2)}`);
    for (const { one, move, value, line: l } of lines) {
      const weight = weightAt(one.position, beta);
      const zero = percentAt(0);
      const end = percentAt(weight);
      move.className = weight < 0 ? "no" : "";
      move.style.left = `${Math.min(zero, end)}%`;
      move.style.width = `${Math.abs(end - zero)}%`;
      value.textContent = number(weight);
      l.dataset.value = weight;
    }
    if (cursor) point();
  };
  slider.addEventListener("input", () => set(Number(slider.value), true));
  $("beta-best").addEventListener("click", () => set(C.beta));
  responsive($("beta-chart"), paint);
  set(C.beta);
};
