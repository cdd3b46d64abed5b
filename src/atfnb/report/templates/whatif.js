// What if: a form whose values are scored by the model's own table. Where the page cannot hold the table, the rows of
// the data are explained from what is known of them instead.
const calculator = (() => {
  const W = D.whatIf;
  if (!W) return null;
  const flat = unpack(W.scores, Float64Array);
  let at = 0;
  const scoresOf = (codes) =>
    Array.from({ length: codes }, () => {
      at += K;
      return flat.subarray(at - K, at);
    });
  const attributes = W.plan.attributes.map((one, j) => ({ ...one, scores: scoresOf(W.codeRows[j].length + 1) }));
  const pairs = W.plan.pairs.map((one) => ({ ...one, scores: scoresOf(one.shape[0] * one.shape[1] + 1) }));
  return scoring.prepare({ ...W.plan, attributes, pairs });
})();

const UNSEEN = Symbol("a value that was not seen in training");
const TOP_FIELDS = 10;
const MOST_OPTIONS = 500;
const categoryText = (value) => {
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value).trim() || "(blank)";
};
const asJson = (value) => {
  if (value === UNSEEN) return { unseen: true };
  return typeof value === "bigint" ? { whole: String(value) } : value;
};
const fromJson = (value) => {
  if (value === null || typeof value !== "object") return value;
  return value.unseen ? UNSEEN : BigInt(value.whole);
};

// --- one field of the form: { box, set(value) }; it calls changed(value) when the reader changes it
const fieldOf = (field, id, changed) => {
  const planned = calculator.attributes[field.attributes[0]];
  const name = field.name;
  const head = (of) =>
    make(
      "div",
      { class: "field-head" },
      make("label", { for: of }, named(name, 60)),
      make("span", { class: "dim" }, percent(field.share)),
    );
  const gone = make("input", { type: "checkbox", "aria-label": `${shorten(name, 60)} is missing` });
  const missing = make("label", { class: "tick" }, gone, " missing");
  if (field.kind === "menu") {
    const categories = planned.categories.map(fromJson);
    const pooled = D.whatIf.pooled[field.attributes[0]];
    const many = categories.length > MOST_OPTIONS;
    const other = make("option", { value: "other" }, pooled ?? "another value, not seen in training");
    const strange = make("option", { value: "strange", hidden: true });
    if (many) {
      const texts = new Map(categories.map((value) => [categoryText(value), value]));
      const input = make("input", { type: "text", id, list: `${id}-list`, autocomplete: "off", spellcheck: "false" });
      const list = make("datalist", { id: `${id}-list` });
      const offer = () =>
        list.replaceChildren(
          ...[...texts.keys()]
            .filter((words) => matches(words, input.value))
            .slice(0, 50)
            .map((words) => make("option", { value: words })),
        );
      input.addEventListener("input", () => {
        offer();
        changed(input.value === "" ? null : (texts.get(input.value.trim()) ?? UNSEEN));
      });
      offer();
      return {
        box: make("div", { class: "field" }, head(id), make("div", { class: "field-row" }, input, list)),
        set: (value) => {
          input.value = value === null ? "" : value === UNSEEN ? "another value" : categoryText(value);
        },
      };
    }
    const select = make(
      "select",
      { id },
      ...categories.map((value, k) => make("option", { value: k }, shorten(categoryText(value), 80))),
      other,
      strange,
      make("option", { value: "missing" }, "missing"),
    );
    let strangeValue = UNSEEN;
    select.addEventListener("change", () => {
      const { value } = select;
      changed(
        value === "missing"
          ? null
          : value === "other"
            ? UNSEEN
            : value === "strange"
              ? strangeValue
              : categories[Number(value)],
      );
    });
    return {
      box: make("div", { class: "field" }, head(id), make("div", { class: "field-row" }, select)),
      set: (value) => {
        const k = categories.indexOf(value);
        if (value === null) select.value = "missing";
        else if (value === UNSEEN) select.value = "other";
        else if (k >= 0) select.value = k;
        else {
          strangeValue = value;
          strange.hidden = false;
          strange.textContent = `${shorten(categoryText(value), 60)}, not seen in training`;
          select.value = "strange";
        }
      },
    };
  }
  if (field.kind !== "number") {
    const type = { date: "date", moment: "datetime-local", time: "time" }[field.kind];
    const input = make("input", { type, id });
    if (field.kind === "moment") input.step = "any";
    let before = field.typical;
    input.addEventListener("input", () => {
      if (input.value === "") return;
      before = input.value;
      gone.checked = false;
      changed(input.value);
    });
    gone.addEventListener("change", () => changed(gone.checked ? null : before));
    return {
      box: make("div", { class: "field" }, head(id), make("div", { class: "field-row" }, input, missing)),
      set: (value) => {
        gone.checked = value === null;
        if (value === null) return;
        before = value;
        const day = String(value);
        input.value =
          field.kind === "moment" && day.length === 10
            ? `${day}T00:00`
            : field.kind === "date"
              ? day.slice(0, 10)
              : day.slice(0, 23);
      },
    };
  }
  const step = field.whole ? 1 : (field.high - field.low) / 200 || 1;
  const slider = make("input", {
    type: "range",
    min: field.low,
    max: field.high,
    step,
    "aria-label": `${shorten(name, 60)}, slider`,
  });
  const box = make("input", { type: "number", id, step: field.whole ? 1 : "any" });
  let before = field.typical;
  const take = (value) => {
    before = value;
    gone.checked = false;
    changed(value);
  };
  slider.addEventListener("input", () => {
    const value = Number(Number(slider.value).toPrecision(field.whole ? 15 : 6));
    box.value = value;
    take(value);
  });
  box.addEventListener("input", () => {
    const value = box.valueAsNumber;
    if (!Number.isFinite(value)) return;
    slider.value = value;
    take(value);
  });
  gone.addEventListener("change", () => changed(gone.checked ? null : before));
  return {
    box: make("div", { class: "field" }, head(id), make("div", { class: "field-row" }, slider, box, missing)),
    set: (value) => {
      gone.checked = value === null;
      slider.disabled = value === null;
      box.disabled = value === null;
      if (value === null) return;
      before = value;
      box.value = value;
      slider.value = value;
    },
  };
};

// --- the smallest single change that changes the class
const likeMany = (attribute) => {
  // a value that has the code of those that were not seen in training
  let value = attribute.kind === "text" || attribute.kind === "mixed" ? "?" : 0.5;
  while (attribute.codes.has(typeof value === "string" ? `'${value}` : String(value)))
    value += typeof value === "string" ? "?" : 1;
  return value;
};
const changesOf = (fields, row, scored) => {
  const { attributes, pairs } = calculator;
  const touching = attributes.map(() => []);
  for (const [p, pair] of pairs.entries()) for (const j of pair.of) touching[j].push(p);
  const total = (rows) => rows.reduce((sum, n) => sum + n, 0) || 1;
  const middles = (rows) => {
    let sum = 0;
    const all = total(rows);
    return rows.map((n) => {
      sum += n;
      return (sum - n / 2) / all;
    });
  };
  const jointWith = (changed) => {
    const codes = scored.codes.slice();
    for (const [j, code] of changed) codes[j] = code;
    const joint = scored.joint.slice();
    for (const [j, code] of changed)
      for (let c = 0; c < K; c++) joint[c] += attributes[j].scores[code][c] - attributes[j].scores[scored.codes[j]][c];
    for (const p of new Set(changed.flatMap(([j]) => touching[j]))) {
      const pair = pairs[p];
      const [rows, columns] = pair.shape;
      const cell = (of) => {
        const [a, b] = pair.of.map((j, side) => pair.groups[side][of[j]]);
        return pair.scores[a < rows && b < columns ? a * columns + b : rows * columns];
      };
      const [now, then] = [cell(scored.codes), cell(codes)];
      for (let c = 0; c < K; c++) joint[c] += then[c] - now[c];
    }
    return joint;
  };
  const offers = [];
  for (const field of fields) {
    const j = field.attributes[0];
    const attribute = attributes[j];
    const rows = D.whatIf.codeRows[j];
    let best = null;
    const consider = (changed, cost, value, words) => {
      if (best !== null && cost >= best.cost) return;
      const joint = jointWith(changed);
      const position = scoring.positionOf(calculator, joint);
      if (position !== scored.position) best = { field, cost, value, words, position, joint };
    };
    if (field.kind === "menu") {
      const all = total(rows);
      attribute.categories.forEach((category, code) => {
        const value = fromJson(category);
        if (code !== scored.codes[j])
          consider([[j, code]], 1 - rows[code] / all, value, `were ${shorten(categoryText(value), 40)}`);
      });
    } else if (field.kind === "number" || field.kind === "time") {
      const at = middles(rows.slice(0, attribute.cuts.length + 1));
      const here = row[attribute.column] === null ? null : scored.codes[j];
      const say = (cut) =>
        field.kind === "time" ? moment(cut, "time") : field.whole ? Math.ceil(cut) : Number(cut.toPrecision(6));
      for (let code = 0; code <= attribute.cuts.length; code++) {
        if (code === here || (here === null && code === scored.codes[j])) continue;
        const cost = here === null ? 1 : Math.abs(at[code] - at[here]);
        const up = here === null ? code > 0 : code > here;
        const cut = up ? attribute.cuts[code - 1] : attribute.cuts[code];
        const below = code === 0 ? cut - (field.high - field.low) / 1000 : (attribute.cuts[code - 1] + cut) / 2;
        const value = field.whole ? (up ? Math.ceil(cut) : Math.ceil(cut) - 1) : up ? cut : below;
        if (cut !== undefined)
          consider(
            [[j, code]],
            cost,
            field.kind === "time" ? moment(value, "time") : value,
            up ? `were ${say(cut)} or more` : `were below ${say(cut)}`,
          );
      }
    } else if (row[attribute.column] !== null) {
      const days = Math.round(Date.parse(`${String(row[attribute.column]).slice(0, 10)}T00:00Z`) / 86400000);
      const clock = String(row[attribute.column]).slice(10);
      const range = Math.max(field.high - field.low, 1);
      for (let by = 1; by <= Math.min(range, 730) && best === null; by++)
        for (const day of [days + by, days - by]) {
          if (day < Math.floor(field.low) || day > Math.ceil(field.high)) continue;
          const value = `${moment(day, "date")}${clock}`;
          const changed = field.attributes.map((k) => [
            k,
            scoring.codesOf({ attributes: [attributes[k]] }, { [attribute.column]: value })[0],
          ]);
          consider(changed, by / range, value, `were ${value.replace("T", " ")}`);
        }
    }
    if (best !== null) offers.push(best);
  }
  return offers.sort((a, b) => a.cost - b.cost).slice(0, 3);
};

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
  const row = {};
  let fields = [];
  const widgets = [];
  let columns = [];
  const typicalOf = (field) => {
    const planned = calculator.attributes[field.attributes[0]];
    return field.kind === "menu" && field.typical !== null
      ? fromJson(planned.categories[field.typical])
      : field.typical;
  };
  const real = (column, value) => {
    if (value !== UNSEEN) return value;
    return likeMany(calculator.attributes.find((one) => one.column === column));
  };
  let showAll = false;
  let timer = null;
  const share = () => {
    const changed = {};
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
      : categoryText(value).replace(/^(\d{4}-\d\d-\d\d)T/, "$1 ");
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
