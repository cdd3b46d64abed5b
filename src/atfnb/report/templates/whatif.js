// What if: a form whose values are scored by the model's own table. Where the page cannot hold the table, the rows of
// the data are explained from what is known of them instead.
const TRYING = {
  row: Object.create(null), // the values by column: a column may be called __proto__
  at: null, // which row of the data is shown, if any
  rival: null, // the class that the predicted one is compared with, if it was chosen
  widgets: [],
  allFields: false,
  timer: null,
};
const fields = D.whatIf?.fields ?? [];
const columns = [...new Set(calculator?.attributes.map((one) => one.column))];
const isWrong = D.rows ? D.rows.numbers.map((_, i) => D.rows.truth[i] !== D.rows.predicted[i]) : [];

// --- the answer
const rankedClasses = (joint) => D.classes.map((_, c) => c).sort((a, b) => joint[b] - joint[a] || a - b);
const chanceLine = (c, chance, winner, actual) => {
  const said = c === actual ? make("span", { class: "dim" }, " (actual)") : null;
  const [label, bar] = [[named(D.classes[c], 40), said], smallBar(chance[c], 1, c === winner ? "" : "grey")];
  const data = { "data-class": c, "data-probability": chance[c] };
  return lineOf(`plain ${c === winner ? "first" : ""}`, label.filter(Boolean), bar, percent(chance[c]), data);
};
// terms(winner, rival): what each attribute and pair adds; others: how many of them there are.
const showAnswer = (joint, terms, others) => {
  const chance = scoring.probabilitiesOf(joint);
  const winner = scoring.positionOf(calculator ?? { tie: 1e-10 }, joint);
  const ranked = rankedClasses(joint);
  const { rival: chosen, at } = TRYING;
  const rival = chosen === null || chosen === winner ? ranked.find((c) => c !== winner) : chosen;
  const actual = at === null ? null : D.rows.truth[at];
  $("answer").dataset.probabilities = JSON.stringify(chance);
  $("answer").dataset.predicted = winner;
  const winnerName = make("b", {}, named(D.classes[winner], 60));
  $("predicted").replaceChildren("predicts ", winnerName, ` ${percent(chance[winner])}`);
  const few = ranked.slice(0, 6);
  if (actual !== null && !few.includes(actual)) few.push(actual);
  $("chances").replaceChildren(
    make("div", { class: "list" }, ...few.map((c) => chanceLine(c, chance, winner, actual))),
    K > few.length ? make("p", { class: "dim" }, `and ${classes(K - few.length)} less probable`) : "",
  );
  const option = (words, c) =>
    make("option", { value: c, selected: c === rival, disabled: c === winner }, shorten(words, 60));
  $("against").replaceChildren(...D.classes.map(option));
  $("why").replaceChildren("Why ", named(D.classes[winner], 40), " and not ", named(D.classes[rival], 40));
  const starts = calculator?.starts ?? D.prior;
  const [start, total] = [starts[winner] - starts[rival], joint[winner] - joint[rival]];
  waterfall($("parts"), { terms: terms(winner, rival), start, total, winner, rival, others });
  $("parts-note").textContent =
    "The numbers are natural logarithms of odds: +0.7 doubles them, −0.7 halves them. The bars begin where the one above ends, and the last is their sum.";
  return winner;
};
const sayRow = (winner) => {
  const { at } = TRYING;
  if (at === null) {
    $("row-says").replaceChildren();
    return;
  }
  const { numbers, truth, predicted, probability } = D.rows;
  const how = D.outOfFold
    ? "a model that was trained like this one, without this row, predicted "
    : "the model predicts ";
  const differs = winner !== predicted[at] && D.outOfFold;
  $("row-says").replaceChildren(
    `Row ${whole(numbers[at])} is `,
    make("b", {}, named(D.classes[truth[at]])),
    `; ${how}`,
    make("b", {}, named(D.classes[predicted[at]])),
    ` (${percent(probability[at])}) `,
    isWrong[at] ? make("span", { class: "wrong" }, "✗ wrong") : make("span", { class: "right" }, "✓ right"),
    `.${differs ? " This model, which was trained on it, gives the answer below." : ""}`,
  );
};

// --- the values of a row
const attributeOf = (column) => calculator.attributes.find((one) => one.column === column);
const categoryAt = (field, k) => fromJson(calculator.attributes[field.attributes[0]].categories[k]);
const typicalOf = (field) =>
  field.kind === "menu" && field.typical !== null ? categoryAt(field, field.typical) : field.typical;
const scoreable = (column, value) => (value === UNSEEN ? likeMany(attributeOf(column)) : value);
const scoredRow = () =>
  scoring.score(
    calculator,
    Object.fromEntries(columns.map((column) => [column, scoreable(column, TRYING.row[column])])),
  );
const valueText = (column) => {
  const value = TRYING.row[column];
  if (value === null || value === undefined) return "missing";
  if (value === UNSEEN) return "another value";
  return typeof value === "number"
    ? String(Number(value.toPrecision(7))).replace("-", "−")
    : categoryText(value, attributeOf(column)).replace(/^(\d{4}-\d\d-\d\d)T/, "$1 ");
};
const nameWords = (name) => make("bdi", { class: "name", title: name }, shorten(name, 40));
const termWords = (t, codes) => {
  const one = calculator.attributes[t];
  if (one) {
    const isPart = ["month", "weekday", "hour"].includes(one.part) && TRYING.row[one.column] !== null;
    const words = isPart ? one.labels[codes[t]].replace(/^= /, "") : valueText(one.column);
    return [nameWords(one.name), " = ", make("bdi", { title: words }, shorten(words, 40))];
  }
  const [a, b] = calculator.pairs[t - calculator.attributes.length].of.map((j) => calculator.attributes[j].name);
  return [make("bdi", { class: "name", title: `${a} × ${b}` }, shorten(a, 24), " × ", shorten(b, 24)), " together"];
};
const offerChanges = (scored) => {
  const counting = fields.filter((field) => field.share > 0);
  const offers = changesOf(counting, TRYING.row, scored);
  if (!offers.length) {
    $("changes").replaceChildren(make("p", { class: "dim" }, "No single change of a value would change the class."));
    return;
  }
  const head = offers.length > 1 ? "The smallest changes that would" : "The one change that would";
  const lines = offers.map(({ field, value, words, position, joint }) =>
    make(
      "li",
      {},
      "If ",
      make("bdi", { class: "name" }, shorten(field.name, 40)),
      ` ${words}: `,
      make("b", {}, named(D.classes[position], 40)),
      ` ${percent(scoring.probabilitiesOf(joint)[position])} `,
      make("button", { type: "button", class: "link screen", on: { click: () => setOne(field, value) } }, "try it"),
    ),
  );
  $("changes").replaceChildren(make("h3", {}, `${head} change the class`), make("ul", { class: "changes" }, ...lines));
};
const showRow = (remembered = true) => {
  if (!calculator) {
    showKnown();
    return;
  }
  const scored = scoredRow();
  const terms = (c, rival) =>
    scored.contributions.map((added, t) => ({
      words: () => termWords(t, scored.codes),
      part: added[c] - added[rival],
    }));
  sayRow(showAnswer(scored.joint, terms, scored.contributions.length));
  offerChanges(scored);
  if (remembered) remember();
};
const setOne = (field, value) => {
  const k = fields.indexOf(field);
  TRYING.row[columns[k]] = value;
  TRYING.widgets[k]?.set(value);
  TRYING.at = null;
  showRow();
};
const setAll = (valueFor, remembered) => {
  for (const [k, column] of columns.entries()) {
    TRYING.row[column] = valueFor(k, column);
    TRYING.widgets[k]?.set(TRYING.row[column]);
  }
  TRYING.rival = null;
  showRow(remembered);
};

// --- the address, which holds the values that are not typical
const say = (words) => {
  $("link-said").textContent = words;
};
const sharedValues = () => {
  const changed = Object.create(null);
  for (const [k, column] of columns.entries())
    if (TRYING.row[column] !== typicalOf(fields[k])) changed[column] = asJson(TRYING.row[column]);
  return Object.keys(changed).length ? `#row=${encodeURIComponent(JSON.stringify(changed))}` : "#row=";
};
const writeAddress = () => {
  clearTimeout(TRYING.timer);
  // in the frame of a notebook there is no address to change
  if (location.protocol !== "about:") history.replaceState(null, "", sharedValues());
};
const remember = () => {
  say("");
  clearTimeout(TRYING.timer);
  TRYING.timer = setTimeout(writeAddress, 300);
};
const copyLink = () => {
  writeAddress();
  const link = `${location.href.split("#")[0]}${sharedValues()}`;
  const notCopied = () => say("The address of this page now holds these values: copy it from there.");
  if (!navigator.clipboard) return notCopied();
  const copied = () => say("Copied: who opens it with this file sees these values.");
  return navigator.clipboard.writeText(link).then(copied, notCopied);
};
const valueFrom = (given, unread) => (k, column) => {
  const typical = typicalOf(fields[k]);
  if (!Object.hasOwn(given, column)) return typical;
  const attributes = fields[k].attributes.map((j) => calculator.attributes[j]);
  try {
    const value = fromJson(given[column]);
    scoring.codesOf({ attributes }, { [column]: scoreable(column, value) });
    return value;
  } catch {
    unread.push(shorten(column, 40));
    return typical;
  }
};
const valuesIn = (text) => {
  try {
    const given = JSON.parse(decodeURIComponent(text) || "{}");
    return typeof given === "object" && !Array.isArray(given) ? given : null;
  } catch {
    return null;
  }
};
// An address is read and not written, so that who loads the page again sees the same values and the same words.
const followAddress = () => {
  clearTimeout(TRYING.timer); // it would write the values before
  TRYING.at = null;
  const unread = [];
  const given = valuesIn(location.hash.slice(5));
  setAll(valueFrom(given ?? {}, unread), false);
  const them = unread.length > 1 ? "typical ones are" : "a typical one is";
  if (given === null) say("The address holds no values that can be read; this is a typical row.");
  else say(unread.length ? `The address has a value of ${unread.join(", ")} that cannot be read; ${them} shown.` : "");
};

// --- the rows of the data
const cellOf = (i) => (k) => {
  const cell = D.rows.cells[i][k];
  if (cell === null || fields[k].kind !== "menu") return cell;
  return Array.isArray(cell) ? fromJson(cell[0]) : categoryAt(fields[k], cell);
};
const isAllowed = (i) => !$("row-wrong").checked || isWrong[i];
const stepFrom = (from, by) => {
  for (let i = from + by; i >= 0 && i < D.rows.numbers.length; i += by) if (isAllowed(i)) return i;
  return from;
};
const nearest = (wanted) => {
  const far = (i) => Math.abs(D.rows.numbers[i] - wanted);
  const allowed = D.rows.numbers.map((_, i) => i).filter(isAllowed);
  return allowed.length ? allowed.reduce((best, i) => (far(i) < far(best) ? i : best)) : (TRYING.at ?? 0);
};
const goTo = (i) => {
  TRYING.at = i;
  $("row-number").value = D.rows.numbers[i];
  $("row-previous").disabled = stepFrom(i, -1) === i;
  $("row-next").disabled = stepFrom(i, 1) === i;
  if (calculator) setAll(cellOf(i));
  else {
    TRYING.rival = null;
    showRow();
  }
};
const openRow = (i) => {
  goTo(i);
  $("what-if").scrollIntoView();
};
// without the table: what the page knows of each row
const showKnown = () => {
  const { at } = TRYING;
  const [values, pairs, ofPairs] = ["values", "pairs", "ofPairs"].map((name) => D.rows.known[name][at]);
  const terms = (c, rival) => [
    ...detailed.map((one) => {
      const value = values[one.position];
      const words = () => [nameWords(one.name), " ", make("bdi", {}, shorten(statement(one, label(one, value)), 40))];
      return { words, part: effect(one, value, c) - effect(one, value, rival) };
    }),
    ...pairs.map((pair, k) => ({
      words: () => [pair.map((j) => shorten(D.attributes[j].name, 24)).join(" × "), " together"],
      part: ofPairs[k][c] - ofPairs[k][rival],
    })),
  ];
  sayRow(showAnswer(D.rows.known.joint[at], terms, D.rows.known.terms));
};
const setUpRows = () => {
  const box = $("row-number");
  box.max = D.rowsInTable;
  $("row-wrong").disabled = !isWrong.includes(true);
  $("row-previous").addEventListener("click", () => goTo(stepFrom(TRYING.at ?? 0, -1)));
  $("row-next").addEventListener("click", () => goTo(TRYING.at === null ? nearest(1) : stepFrom(TRYING.at, 1)));
  box.addEventListener("change", () => goTo(nearest(Number(box.value))));
  $("row-wrong").addEventListener("change", () => goTo(nearest(TRYING.at === null ? 1 : D.rows.numbers[TRYING.at])));
};

// --- the form
const fieldBox = (k) => {
  const { widgets, row } = TRYING;
  widgets[k] ??= fieldOf(fields[k], `field-${k}`, (value) => setOne(fields[k], value));
  widgets[k].set(row[columns[k]]);
  return widgets[k].box;
};
const showFields = () => {
  const { allFields } = TRYING;
  const order = fields
    .map((_, k) => k)
    .filter((k) => fields[k].share > 0)
    .sort((a, b) => fields[b].share - fields[a].share || a - b);
  const wanted = $("fields-search").value;
  const found = wanted.trim() ? order.filter((k) => matches(fields[k].name, wanted)) : order;
  const shown = allFields ? found : found.slice(0, TOP_FIELDS);
  $("fields").replaceChildren(...shown.map(fieldBox));
  const silent = fields.length - order.length;
  $("fields-note").textContent = [
    found.length === 0 ? "No attribute has that in its name. " : "",
    shown.length < found.length
      ? `${shown.length} of ${plural(found.length, "column")}, those that count most; the others are those of the row. `
      : "",
    silent ? `${plural(silent, "column")} without any effect ${silent === 1 ? "is" : "are"} left out.` : "",
  ].join("");
  $("fields-all").textContent = allFields ? `Show the top ${TOP_FIELDS}` : `Show all ${order.length}`;
  $("fields-controls").hidden = order.length <= TOP_FIELDS;
};
const setUpForm = () => {
  $("fields-search").addEventListener("input", showFields);
  $("fields-all").addEventListener("click", () => {
    TRYING.allFields = !TRYING.allFields;
    showFields();
  });
  $("typical").addEventListener("click", () => {
    TRYING.at = null;
    setAll((k) => typicalOf(fields[k]));
  });
  $("link").addEventListener("click", copyLink);
  const holdsValues = () => location.hash.startsWith("#row=");
  // popstate, not hashchange, comes before anything else can happen at the new address
  window.addEventListener("popstate", () => holdsValues() && followAddress());
  if (holdsValues()) followAddress();
  else setAll((k) => typicalOf(fields[k]), false);
  showFields();
};
const setUpWhatIf = () => {
  $("against-box").hidden = twoClasses;
  $("against").addEventListener("change", () => {
    TRYING.rival = Number($("against").value);
    showRow();
  });
  if ($("row-number")) setUpRows();
  if (calculator) {
    setUpForm();
    return;
  }
  document.querySelector(".form").hidden = true;
  document.querySelector(".calculator").style.display = "block";
  for (const id of ["typical", "link", "fields-controls", "changes"]) $(id).hidden = true;
  goTo(Math.max(0, isWrong.indexOf(true)));
};
