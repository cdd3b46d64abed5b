// What if: a form whose values are scored by the model's own table. Where the page cannot hold the table, the rows of
// the data are explained from what is known of them instead.
let openRow = null;
const setUpWhatIf = () => {
  const R = D.rows ?? null;
  const against = $("against");
  let other = null;
  let at = null; // which row of the data is shown, if any
  const isWrong = R ? R.numbers.map((_, i) => R.truth[i] !== R.predicted[i]) : [];
  against.addEventListener("change", () => {
    other = Number(against.value);
    show();
  });
  $("against-box").hidden = twoClasses;

  // --- the answer
  const showAnswer = (joint, terms, others) => {
    const chance = scoring.probabilitiesOf(joint);
    const winner = scoring.positionOf(calculator ?? { tie: 1e-10 }, joint);
    const ranked = D.classes.map((_, c) => c).sort((a, b) => joint[b] - joint[a] || a - b);
    const rival = other === null || other === winner ? ranked.find((c) => c !== winner) : other;
    const actual = at === null ? null : R.truth[at];
    $("answer").dataset.probabilities = JSON.stringify(chance);
    $("answer").dataset.predicted = winner;
    $("predicted").replaceChildren(
      "predicts ",
      make("b", {}, named(D.classes[winner], 60)),
      ` ${percent(chance[winner])}`,
    );
    const few = ranked.slice(0, 6);
    if (actual !== null && !few.includes(actual)) few.push(actual);
    $("chances").replaceChildren(
      make(
        "div",
        { class: "list" },
        ...few.map((c) =>
          make(
            "div",
            { class: `line plain ${c === winner ? "first" : ""}`, "data-class": c, "data-probability": chance[c] },
            make(
              "span",
              { class: "label" },
              named(D.classes[c], 40),
              c === actual ? make("span", { class: "dim" }, " (actual)") : null,
            ),
            smallBar(chance[c], 1, c === winner ? "" : "grey"),
            make("span", { class: "value" }, percent(chance[c])),
          ),
        ),
      ),
      K > few.length ? make("p", { class: "dim" }, `and ${classes(K - few.length)} less probable`) : "",
    );
    against.replaceChildren(
      ...D.classes.map((words, c) =>
        make("option", { value: c, selected: c === rival, disabled: c === winner }, shorten(words, 60)),
      ),
    );
    $("why").replaceChildren("Why ", named(D.classes[winner], 40), " and not ", named(D.classes[rival], 40));
    const start = calculator ? calculator.starts[winner] - calculator.starts[rival] : D.prior[winner] - D.prior[rival];
    waterfall($("parts"), {
      terms: terms(winner, rival),
      start,
      total: joint[winner] - joint[rival],
      winner,
      rival,
      others,
    });
    $("parts-note").textContent =
      "The numbers are natural logarithms of odds: +0.7 doubles them, −0.7 halves them. The bars begin where the one above ends, and the last is their sum.";
    return winner;
  };

  const sayRow = (winner) => {
    const says = $("row-says");
    if (at === null) {
      says.replaceChildren();
      return;
    }
    const how = D.outOfFold
      ? "a model that was trained like this one, without this row, predicted "
      : "the model predicts ";
    const own =
      winner === R.predicted[at]
        ? ""
        : D.outOfFold
          ? " This model, which was trained on it, gives the answer below."
          : "";
    says.replaceChildren(
      `Row ${whole(R.numbers[at])} is `,
      make("b", {}, named(D.classes[R.truth[at]])),
      `; ${how}`,
      make("b", {}, named(D.classes[R.predicted[at]])),
      ` (${percent(R.probability[at])}) `,
      isWrong[at] ? make("span", { class: "wrong" }, "✗ wrong") : make("span", { class: "right" }, "✓ right"),
      `.${own}`,
    );
  };

  // --- with the model's table
  const row = Object.create(null); // a column may be called __proto__
  let fields = [];
  const widgets = [];
  let columns = [];
  const typicalOf = (field) => {
    const planned = calculator.attributes[field.attributes[0]];
    return field.kind === "menu" && field.typical !== null
      ? fromJson(planned.categories[field.typical])
      : field.typical;
  };
  const attributeOf = (column) => calculator.attributes.find((one) => one.column === column);
  const real = (column, value) => {
    if (value !== UNSEEN) return value;
    return likeMany(attributeOf(column));
  };
  let showAll = false;
  let timer = null;
  const share = () => {
    const changed = Object.create(null);
    for (const [k, column] of columns.entries()) {
      const typical = typicalOf(fields[k]);
      if (row[column] !== typical) changed[column] = asJson(row[column]);
    }
    return Object.keys(changed).length ? `#row=${encodeURIComponent(JSON.stringify(changed))}` : "#row=";
  };
  const remember = () => {
    clearTimeout(timer);
    if (location.protocol === "about:") return; // in the frame of a notebook there is no address to change
    timer = setTimeout(() => history.replaceState(null, "", share()), 300);
  };
  const scoredRow = () =>
    scoring.score(calculator, Object.fromEntries(columns.map((column) => [column, real(column, row[column])])));
  const valueText = (column) => {
    const value = row[column];
    if (value === null || value === undefined) return "missing";
    if (value === UNSEEN) return "another value";
    return typeof value === "number"
      ? String(Number(value.toPrecision(7))).replace("-", "−")
      : categoryText(value, attributeOf(column)).replace(/^(\d{4}-\d\d-\d\d)T/, "$1 ");
  };
  const termWords = (t, codes) => {
    const one = calculator.attributes[t];
    if (one) {
      const named = ["month", "weekday", "hour"].includes(one.part) && row[one.column] !== null;
      const text = named ? one.labels[codes[t]].replace(/^= /, "") : valueText(one.column);
      return [
        make("bdi", { class: "name", title: one.name }, shorten(one.name, 40)),
        " = ",
        make("bdi", { title: text }, shorten(text, 40)),
      ];
    }
    const [a, b] = calculator.pairs[t - calculator.attributes.length].of.map((j) => calculator.attributes[j].name);
    return [make("bdi", { class: "name", title: `${a} × ${b}` }, shorten(a, 24), " × ", shorten(b, 24)), " together"];
  };
  const offer = (scored) => {
    const offers = changesOf(
      fields.filter((field) => field.share > 0),
      row,
      scored,
    );
    const box = $("changes");
    if (!offers.length) {
      box.replaceChildren(make("p", { class: "dim" }, "No single change of a value would change the class."));
      return;
    }
    box.replaceChildren(
      make(
        "h3",
        {},
        offers.length > 1
          ? "The smallest changes that would change the class"
          : "The one change that would change the class",
      ),
      make(
        "ul",
        { class: "changes" },
        ...offers.map(({ field, value, words, position, joint }) =>
          make(
            "li",
            {},
            "If ",
            make("bdi", { class: "name" }, shorten(field.name, 40)),
            ` ${words}: `,
            make("b", {}, named(D.classes[position], 40)),
            ` ${percent(scoring.probabilitiesOf(joint)[position])} `,
            make(
              "button",
              { type: "button", class: "link screen", on: { click: () => change(field, value) } },
              "try it",
            ),
          ),
        ),
      ),
    );
  };
  const change = (field, value) => {
    const k = fields.indexOf(field);
    row[columns[k]] = value;
    widgets[k]?.set(value);
    at = null;
    show();
  };
  const show = (first = false) => {
    if (!calculator) {
      showKnown();
      return;
    }
    const scored = scoredRow();
    const winner = showAnswer(
      scored.joint,
      (c, rival) =>
        scored.contributions.map((added, t) => ({
          words: () => termWords(t, scored.codes),
          part: added[c] - added[rival],
        })),
      scored.contributions.length,
    );
    sayRow(winner);
    offer(scored);
    if (!first) remember();
  };
  const setAll = (values) => {
    for (const [k, column] of columns.entries()) {
      row[column] = values(k, column);
      widgets[k]?.set(row[column]);
    }
    other = null;
    show();
  };
  const cellsOf = (i) => (k) => {
    const cell = R.cells[i][k];
    if (cell === null || fields[k].kind !== "menu") return cell;
    if (Array.isArray(cell)) return fromJson(cell[0]);
    return fromJson(calculator.attributes[fields[k].attributes[0]].categories[cell]);
  };
  const fromAddress = () => {
    if (!location.hash.startsWith("#row=")) return false;
    let given;
    try {
      given = JSON.parse(decodeURIComponent(location.hash.slice(5)) || "{}");
      if (given === null || typeof given !== "object" || Array.isArray(given)) throw new SyntaxError("not an object");
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof URIError)) throw error;
      $("link-said").textContent = "The address holds no values that can be read; this is a typical row.";
      return false;
    }
    const wanted = (k, column) => {
      const typical = typicalOf(fields[k]);
      if (!Object.hasOwn(given, column)) return typical;
      const attributes = fields[k].attributes.map((j) => calculator.attributes[j]);
      try {
        const value = fromJson(given[column]);
        scoring.codesOf({ attributes }, { [column]: real(column, value) });
        return value;
      } catch {
        $("link-said").textContent =
          `The address has a value of ${shorten(column, 40)} that cannot be read; a typical one is shown.`;
        return typical;
      }
    };
    at = null;
    setAll(wanted);
    return true;
  };

  // --- the rows of the data
  const wrongOnly = $("row-wrong");
  const box = $("row-number");
  const allowed = (i) => !wrongOnly.checked || isWrong[i];
  const stepFrom = (from, by) => {
    for (let i = from + by; i >= 0 && i < R.numbers.length; i += by) if (allowed(i)) return i;
    return from;
  };
  const nearest = (wanted) => {
    let best = at ?? 0;
    let least = Infinity;
    R.numbers.forEach((number, i) => {
      if (allowed(i) && Math.abs(number - wanted) < least) {
        least = Math.abs(number - wanted);
        best = i;
      }
    });
    return best;
  };
  const go = (to) => {
    at = to;
    box.value = R.numbers[at];
    $("row-previous").disabled = stepFrom(at, -1) === at;
    $("row-next").disabled = stepFrom(at, 1) === at;
    if (calculator) setAll(cellsOf(at));
    else {
      other = null;
      show();
    }
  };
  // without the table: what the page knows of each row
  const showKnown = () => {
    const known = (c, rival) => [
      ...detailed.map((one) => ({
        words: () => [
          make("bdi", { class: "name", title: one.name }, shorten(one.name, 40)),
          " = ",
          make("bdi", {}, shorten(label(one, R.codes[at][one.column]), 40)),
        ],
        part: effect(one, R.codes[at][one.column], c) - effect(one, R.codes[at][one.column], rival),
      })),
      ...R.pairs[at].map((p, k) => ({
        words: () => [D.allPairs[p].map((j) => shorten(D.attributes[j].name, 24)).join(" × "), " together"],
        part: R.ofPairs[at][k][c] - R.ofPairs[at][k][rival],
      })),
    ];
    sayRow(showAnswer(R.joint[at], known, D.attributes.length + D.allPairs.length));
  };
  if (box) {
    box.max = D.rowsInTable;
    wrongOnly.disabled = !isWrong.includes(true);
    $("row-previous").addEventListener("click", () => go(stepFrom(at ?? 0, -1)));
    $("row-next").addEventListener("click", () => go(at === null ? nearest(1) : stepFrom(at, 1)));
    box.addEventListener("change", () => go(nearest(Number(box.value))));
    wrongOnly.addEventListener("change", () => go(nearest(at === null ? 1 : R.numbers[at])));
  }
  openRow = (i) => {
    go(i);
    $("what-if").scrollIntoView();
  };
  if (!calculator) {
    document.querySelector(".form").hidden = true;
    document.querySelector(".calculator").style.display = "block";
    for (const id of ["typical", "link", "fields-controls", "changes"]) $(id).hidden = true;
    go(Math.max(0, isWrong.indexOf(true)));
    return;
  }

  fields = D.whatIf.fields;
  columns = [...new Set(calculator.attributes.map((one) => one.column))];
  const order = fields
    .map((_, k) => k)
    .filter((k) => fields[k].share > 0)
    .sort((a, b) => fields[b].share - fields[a].share || a - b);
  const search = $("fields-search");
  const ensure = (k) => {
    widgets[k] ??= fieldOf(fields[k], `field-${k}`, (value) => {
      row[columns[k]] = value;
      widgets[k].set(value);
      at = null;
      show();
    });
    widgets[k].set(row[columns[k]]);
    return widgets[k].box;
  };
  const showFields = () => {
    const found = search.value.trim() ? order.filter((k) => matches(fields[k].name, search.value)) : order;
    const shown = showAll ? found : found.slice(0, TOP_FIELDS);
    $("fields").replaceChildren(...shown.map(ensure));
    const silent = fields.length - order.length;
    $("fields-note").textContent =
      (found.length === 0 ? "No attribute has that in its name. " : "") +
      (shown.length < found.length
        ? `${shown.length} of ${plural(found.length, "column")}, those that count most; the others are those of the row. `
        : "") +
      (silent ? `${plural(silent, "column")} without any effect ${silent === 1 ? "is" : "are"} left out.` : "");
    $("fields-all").textContent = showAll ? `Show the top ${TOP_FIELDS}` : `Show all ${order.length}`;
  };
  $("fields-controls").hidden = order.length <= TOP_FIELDS;
  search.addEventListener("input", showFields);
  $("fields-all").addEventListener("click", () => {
    showAll = !showAll;
    showFields();
  });
  $("typical").addEventListener("click", () => {
    at = null;
    setAll((k) => typicalOf(fields[k]));
  });
  $("link").addEventListener("click", () => {
    const address = `${location.href.split("#")[0]}${share()}`;
    const done = () => {
      $("link-said").textContent = "Copied: who opens it with this file sees these values.";
    };
    if (location.protocol !== "about:") history.replaceState(null, "", share());
    if (navigator.clipboard)
      navigator.clipboard.writeText(address).then(done, () => {
        $("link-said").textContent = "The address of this page now holds these values: copy it from there.";
      });
    else $("link-said").textContent = "The address of this page now holds these values: copy it from there.";
  });
  window.addEventListener("hashchange", fromAddress);
  for (const [k, column] of columns.entries()) row[column] = typicalOf(fields[k]);
  showFields();
  if (!fromAddress()) show(true);
};
