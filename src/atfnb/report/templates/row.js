// Section 4: one row, and the sum that decides its class.
const PARTS = 12;
const setUpRow = () => {
  const R = D.rows;
  const box = $("row-number");
  const against = $("row-against");
  const wrongOnly = $("row-wrong");
  const isWrong = R.numbers.map((_, i) => R.truth[i] !== R.predicted[i]);
  const nWrong = isWrong.filter(Boolean).length;
  let at = Math.max(0, isWrong.indexOf(true));
  let other = null;
  const probabilities = (joint) => {
    const top = Math.max(...joint);
    const odds = joint.map((value) => Math.exp(value - top));
    const sum = odds.reduce((a, b) => a + b, 0);
    return odds.map((odd) => odd / sum);
  };
  const runnerUp = (i) => {
    const ranked = D.classes
      .map((_, c) => c)
      .filter((c) => c !== R.predicted[i])
      .sort((a, b) => R.joint[i][b] - R.joint[i][a]);
    return isWrong[i] ? R.truth[i] : ranked[0];
  };
  const valueText = (one, i) => {
    const said = R.texts[i][one.column];
    const word = label(one, R.codes[i][one.column]);
    if (said === 0)
      return word === "missing" || word === "unknown" ? "missing" : `missing, taken as ${word.replace(/^= /, "")}`;
    if (said === null) return word;
    return word === "unknown" ? `${said}, not seen in training` : said;
  };
  const pairWords = ([a, b]) => {
    const [first, second] = [D.attributes[a].name, D.attributes[b].name];
    return [
      make("bdi", { title: `${first} × ${second}` }, shorten(first, 22), " × ", shorten(second, 22)),
      " together",
    ];
  };
  const lineOf = (words, from, to, part, range, kind = "") => {
    const percentAt = (v) => (100 * (v - range[0])) / (range[1] - range[0] || 1);
    const left = Math.min(percentAt(from), percentAt(to));
    return make(
      "div",
      { class: `line part ${kind}`, "data-value": part },
      make("span", { class: "label" }, ...words),
      make(
        "div",
        { class: "bar", style: `--zero:${percentAt(0)}%` },
        make("i", {
          class: part < 0 ? "no" : kind === "rest" ? "grey" : "",
          style: `left:${left}%;width:max(${Math.abs(percentAt(to) - percentAt(from))}%, 1px)`,
        }),
      ),
      make("span", { class: "value" }, signed(part)),
    );
  };
  const show = () => {
    const winner = R.predicted[at];
    const rival = other === null || other === winner ? runnerUp(at) : other;
    const joint = R.joint[at];
    box.value = R.numbers[at];
    against.replaceChildren(
      ...D.classes.map((words, c) =>
        make("option", { value: c, selected: c === rival, disabled: c === winner }, shorten(words, 60)),
      ),
    );
    const total = joint[winner] - joint[rival];
    const start = D.prior[winner] - D.prior[rival];
    const ofPair = (k) => R.ofPairs[at][k][winner] - R.ofPairs[at][k][rival];
    const parts = [
      ...detailed.map((one) => ({
        words: () => [
          opener(one, 30),
          " = ",
          make("bdi", { title: valueText(one, at) }, shorten(valueText(one, at), 40)),
        ],
        part: effect(one, R.codes[at][one.column], winner) - effect(one, R.codes[at][one.column], rival),
      })),
      ...R.pairs[at].map((p, k) => ({ words: () => pairWords(D.pairs[p]), part: ofPair(k) })),
    ].sort((a, b) => Math.abs(b.part) - Math.abs(a.part));
    const first = parts.slice(0, PARTS);
    const summed = parts.reduce((sum, { part }) => sum + part, start + ofPair(R.pairs[at].length));
    const rest = total - first.reduce((sum, { part }) => sum + part, start);
    const others = D.attributes.length + D.pairs.length - first.length;
    const stops = [0, start];
    for (const { part } of first) stops.push(stops[stops.length - 1] + part);
    stops.push(total);
    const range = [Math.min(...stops), Math.max(...stops)];
    let run = start;
    const lines = [
      lineOf(
        [D.meaning === "spread" ? "the starting values of the two classes" : "how frequent the two classes are"],
        0,
        start,
        start,
        range,
        "start",
      ),
    ];
    for (const { words, part } of first) {
      lines.push(lineOf(words(), run, run + part, part, range));
      run += part;
    }
    const withPairs = others === 1 ? "attribute or pair" : `${whole(others)} attributes and pairs`;
    const howMany = D.pairs.length ? withPairs : plural(others, "attribute");
    if (others > 0) lines.push(lineOf([`the other ${howMany} together`], run, total, rest, range, "rest"));
    else if (Math.abs(rest) >= 0.005) lines.push(lineOf(["rounding"], run, total, rest, range, "rest"));
    lines.push(
      lineOf(
        ["the sum: ", named(D.classes[winner], 24), " against ", named(D.classes[rival], 24)],
        0,
        total,
        total,
        range,
        "sum",
      ),
    );
    $("row-parts").replaceChildren(
      make("div", { class: "list", "data-sum": summed, "data-total": total, "data-row": R.numbers[at] }, ...lines),
    );
    const chance = probabilities(joint);
    const ranked = D.classes.map((_, c) => c).sort((a, b) => chance[b] - chance[a]);
    const few = ranked.slice(0, 6);
    if (!few.includes(R.truth[at])) few.push(R.truth[at]);
    $("row-classes").replaceChildren(
      make(
        "div",
        { class: "list" },
        ...few.map((c) =>
          make(
            "div",
            { class: "line plain", "data-class": c, "data-probability": chance[c] },
            make("span", { class: "label" }, named(D.classes[c], 30), c === R.truth[at] ? " ✓" : ""),
            smallBar(chance[c], 1, ""),
            make("span", { class: "value" }, percent(chance[c])),
          ),
        ),
      ),
      make("p", { class: "dim" }, "✓ marks the row's actual class."),
    );
    const odds = Math.exp(Math.min(Math.abs(total), 700));
    $("row-says").replaceChildren(
      `Row ${whole(R.numbers[at])} is `,
      make("b", {}, named(D.classes[R.truth[at]])),
      "; the model predicts ",
      make("b", {}, named(D.classes[winner])),
      " ",
      isWrong[at] ? make("span", { class: "wrong" }, "✗ wrong") : make("span", { class: "right" }, "✓ right"),
      ". By the sum below, ",
      named(D.classes[winner]),
      " is ",
      odds > 1e6 ? "more than a million" : number(odds),
      ` times as likely as `,
      named(D.classes[rival]),
      ".",
    );
    $("row-previous").disabled = step(-1) === at;
    $("row-next").disabled = step(1) === at;
  };
  const allowed = (i) => !wrongOnly.checked || isWrong[i];
  const step = (by) => {
    for (let i = at + by; i >= 0 && i < R.numbers.length; i += by) if (allowed(i)) return i;
    return at;
  };
  const nearest = (wanted) => {
    let best = at;
    let least = Infinity;
    R.numbers.forEach((row, i) => {
      if (allowed(i) && Math.abs(row - wanted) < least) {
        least = Math.abs(row - wanted);
        best = i;
      }
    });
    return best;
  };
  const go = (to) => {
    at = to;
    other = null;
    show();
  };
  $("row-previous").addEventListener("click", () => go(step(-1)));
  $("row-next").addEventListener("click", () => go(step(1)));
  box.addEventListener("change", () => go(nearest(Number(box.value))));
  wrongOnly.addEventListener("change", () => go(nearest(R.numbers[at])));
  against.addEventListener("change", () => {
    other = Number(against.value);
    show();
  });
  wrongOnly.disabled = nWrong === 0;
  box.max = D.rowsInTable;
  $("row-note").textContent =
    (R.numbers.length < D.rowsInTable
      ? `${R.numbers.length} of the ${whole(D.rowsInTable)} rows are in this page, of which the model gets ${nWrong} wrong; for any other row number, the nearest of these rows is shown. `
      : `All ${whole(D.rowsInTable)} rows are in this page; the model gets ${nWrong} of them wrong. `) +
    "Rows are counted from 1. The numbers are natural logarithms: +0.7 doubles the odds." +
    (D.effectBytes === 1 ? " The single parts are rounded to about 1 %; the sum is exact." : "");
  show();
};
