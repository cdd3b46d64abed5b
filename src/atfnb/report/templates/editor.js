// The edit mode: values of an attribute are dragged, or chosen and changed together; a pair is removed. What that does to
// the predictions of the page's rows is shown at once, and the edits are listed, undone and saved.
const EDITING = {
  entries: [], // { edit as the file has it, of, codes, c: see applied; words, reason }
  unsaved: false,
  open: null, // the attribute or pair that is being edited
  chosen: [], // the values that are, by their positions; without any, the one at which the keys are
  at: 0, // the one that the keys move from, and anchor, where the choice of several began
  anchor: 0,
  trial: null, // rows with their figures, loaded once the first editor opens
  track: null, // the picture of numbers as it is drawn
  view: null, // what is on the page of the open editor
};
const NO_REASON = "no reason given";
const STEPS = [0.05, 0.5]; // how far an arrow key, and a page key, changes an effect
const isOpen = (what) => EDITING.open !== null && EDITING.open === what;
const isAttribute = (what) => what.of === undefined;
const editName = (what) => (isAttribute(what) ? what.name : what.of.map((j) => D.attributes[j].name).join(" × "));
const chosenNow = () => (EDITING.chosen.length ? EDITING.chosen : [EDITING.at]);
const plannedOf = (one) => calculator.attributes[one.position];
const allCodes = (one) => [...plannedOf(one).scores.keys()];
const codeAt = (one, v) => one.detail.codes?.[v] ?? v;
// A category or a class as a file of edits holds it: whole numbers that JavaScript would round are text.
const plainValue = (value) => value?.whole ?? value;

const loadTrial = async () => {
  const { codes, kind, rows: n, weight } = D.trial;
  const packed = new Blob([numbersOf(codes, Uint8Array)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const cells = new KINDS[kind](await new Response(packed).arrayBuffer()); // the classes, and then each attribute
  const codesOf = (i) => calculator.attributes.map((_, j) => cells[(j + 1) * n + i]);
  const rows = upTo(n).map((i) => ({ actual: cells[i], codes: codesOf(i) }));
  const weights = D.whatIf.codeRows.map((known) => [...known, weight - sumOf(known)]);
  const before = figuresOf(calculator, rows);
  return { rows, weights, learned: { ...calculator }, before, now: before };
};
const askBeforeLeaving = (event) => event.preventDefault();
const setUnsaved = (unsaved) => {
  EDITING.unsaved = unsaved;
  window[unsaved ? "addEventListener" : "removeEventListener"]("beforeunload", askBeforeLeaving);
};
// Make the edited model that of the page: of its calculator, and of the effects that it draws.
const replay = () => {
  const { trial, entries } = EDITING;
  Object.assign(calculator, editedModel(trial.learned, trial.weights, D.trial.pairMeans, entries));
  trial.now = entries.length ? figuresOf(calculator, trial.rows) : trial.before;
  for (const one of detailed) {
    const { scores } = plannedOf(one);
    const editedAt = (k) => beyondMean(scores[codeAt(one, Math.floor(k / K))], k % K);
    const touches = ({ of }) => of.length === 1 && of[0] === one.position;
    one.detail.effectAt = entries.some(touches) ? editedAt : one.detail.learnedAt;
  }
};

// --- what is chosen, in the words of the file and in those of the page
const isMissing = (one, v) => one.detail.missingIsValue && codeAt(one, v) === plannedOf(one).missing;
const rangeOf = (one, chosen) => {
  const { cuts, categories } = plannedOf(one);
  const codes = chosen.map((v) => codeAt(one, v)).sort((a, b) => a - b);
  if (cuts && !isMissing(one, chosen[0])) {
    // an end that is a whole number would belong to the values on both of its sides
    const end = (cut) => (one.detail.whole && Number.isInteger(cut) ? cut - 0.5 : (cut ?? null));
    return { codes, range: { from: end(cuts[codes[0] - 1]), to: end(cuts[codes.at(-1)]) } };
  }
  const nameOf = (code) => {
    if (code === plannedOf(one).missing && one.detail.missingIsValue) return { missing: true };
    return code < categories.length ? plainValue(categories[code]) : { pooled: true };
  };
  return { codes, range: { values: codes.map(nameOf) } };
};
const rangeWords = (one, chosen) => {
  const { cuts, whole } = one.detail;
  if (cuts && chosen.length > 1) {
    const [first, last] = [Math.min(...chosen), Math.max(...chosen)];
    const ends = [...cuts.slice(first - 1, first), ...cuts.slice(last, last + 1)];
    return ends.length ? interval(ends, first ? 1 : 0, whole, one.part) : "all values";
  }
  const labels = chosen.slice(0, 4).map((v) => shorten(label(one, v), 30));
  return chosen.length > 4 ? `${labels.join(", ")} and ${chosen.length - 4} more` : labels.join(", ");
};
const chosenWords = (one) => {
  const chosen = chosenNow();
  const c = chosenClass();
  const heights = chosen.map((v) => signed(adds(one, v, c)));
  const [low, high] = [heights[0], heights.at(-1)];
  const count = chosen.length > 1 ? ` (${plural(chosen.length, "value")})` : "";
  return `${rangeWords(one, chosen)}${count}: ${low === high ? low : `${low} to ${high}`}`;
};

// --- edits
const changeEdits = (change, words) => {
  change(EDITING.entries);
  setUnsaved(EDITING.entries.length > 0);
  replay();
  EDITING.view.show(true);
  showUnsaved();
  const { before, now } = EDITING.trial;
  EDITING.view.said.textContent = `${words}. Accuracy ${fromTo(before.accuracy, now.accuracy, share)}, log-loss ${fromTo(before.logLoss, now.logLoss, loss)}.`;
};
const addEdit = (what, kind, words, { chosen = [], c, ...details } = {}) => {
  const { entries } = EDITING;
  const of = isAttribute(what) ? [what.position] : what.of;
  const [column, other] = of.map((j) => calculator.attributes[j].name);
  const { codes, range } = chosen.length ? rangeOf(what, chosen) : { codes: isAttribute(what) ? allCodes(what) : [] };
  const names = { column, with: other, class: c === undefined ? c : plainValue(D.whatIf.plan.classes[c]) };
  const added = {
    edit: { do: kind, ...names, ...range, ...details },
    of,
    codes,
    c,
    name: editName(what),
    words,
    reason: "",
  };
  const target = (entry) => entry && JSON.stringify({ ...entry.edit, effect: 0 });
  const isAgain = kind === "set" && target(entries.at(-1)) === target(added); // one edit while a value is moved
  if (isAgain) added.reason = entries.at(-1).reason;
  changeEdits(() => entries.splice(isAgain ? -1 : entries.length, 1, added), `${added.name}: ${words}`);
};
const undoEdit = (k) => {
  const { name, words } = EDITING.entries[k];
  changeEdits((entries) => entries.splice(k, 1), `Undone: ${name}: ${words}`);
  EDITING.view.focus();
};
const setTo = (one, value) => {
  const chosen = chosenNow();
  const c = chosenClass();
  const height = Math.round(100 * value) / 100;
  const words = `${rangeWords(one, chosen)} set to ${signed(height)} for ${shorten(D.classes[c])}`;
  addEdit(one, "set", words, { chosen, c, effect: height / (twoClasses ? 2 : 1) });
};
const DONE = {
  flatten: "flattened",
  merge: "merged",
  smooth: "smoothed",
  rising: "made rising",
  falling: "made falling",
};
const editChosen = (one, kind) => {
  const chosen = EDITING.chosen.length > 1 ? EDITING.chosen : upTo(one.detail.cuts.length + 1);
  const c = kind === "rising" || kind === "falling" ? chosenClass() : undefined;
  const forClass = c === undefined ? "" : ` for ${shorten(D.classes[c])}`;
  addEdit(one, kind, `${rangeWords(one, chosen)} ${DONE[kind]}${forClass}`, { chosen, c });
};
const isRemoved = (what) => {
  const of = isAttribute(what) ? [what.position] : what.of;
  const gone = EDITING.entries.filter(({ edit }) => edit.do === "remove").map((entry) => entry.of);
  return gone.some((each) => each.every((j) => of.includes(j)));
};
const saveEdits = () => {
  const when = `${new Date().toISOString().slice(0, 19)}Z`;
  const edits = EDITING.entries.map(({ edit, reason }) => ({ ...edit, reason: reason.trim() || NO_REASON, when }));
  const file = { format: "atfnb-edits", version: 1, model: D.trial.fingerprint, edits };
  const href = URL.createObjectURL(new Blob([`${JSON.stringify(file, null, 1)}\n`], { type: "application/json" }));
  make("a", { href, download: "edits.json" }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60000);
  setUnsaved(false);
  showUnsaved();
  EDITING.view.said.textContent = `Saved as edits.json: "atfnb edit model.json edits.json -o edited.json" applies ${edits.length === 1 ? "it" : "them"}.`;
};

// --- choosing and moving values
const choose = (one, chosen, at, anchor = at) => {
  Object.assign(EDITING, { chosen, at, anchor });
  EDITING.view.show(false);
  EDITING.view.said.textContent = chosenWords(one);
};
// From one value to another in their order; missing values are chosen alone.
const chooseTo = (one, order, anchor, at) => {
  const [a, b] = [order.indexOf(anchor), order.indexOf(at)];
  const between = order.slice(Math.min(a, b), Math.max(a, b) + 1);
  const isAlone = one.detail.cuts && between.length > 1 && between.some((v) => isMissing(one, v));
  choose(one, isAlone ? [anchor] : between, isAlone ? anchor : at, anchor);
};
const onKeys =
  (one, order, [less, more, back, on]) =>
  (event) => {
    const { key, shiftKey } = event;
    const { at, anchor, chosen, entries } = EDITING;
    const step = { [less]: -STEPS[0], [more]: STEPS[0], PageDown: -STEPS[1], PageUp: STEPS[1] }[key];
    const move = { [back]: -1, [on]: 1, Home: -order.length, End: order.length }[key];
    if (key === "z" && (event.ctrlKey || event.metaKey)) {
      if (entries.length) undoEdit(entries.length - 1);
    } else if (step) {
      if (!chosen.includes(at)) EDITING.chosen = [];
      setTo(one, adds(one, at, chosenClass()) + step);
    } else if (move) {
      const to = order[Math.min(Math.max(order.indexOf(at) + move, 0), order.length - 1)];
      if (shiftKey) chooseTo(one, order, anchor, to);
      else choose(one, one.detail.cuts ? [] : chosen, to); // of categories, several are ticked one by one
    } else if (key === " " && !one.detail.cuts) toggleChosen(one, at);
    else return;
    event.preventDefault();
  };
const toggleChosen = (one, v) => {
  const { chosen } = EDITING;
  const others = chosen.filter((each) => each !== v);
  choose(one, others.length < chosen.length ? others : [...others, v], v);
};
// A pointer that moves along the values chooses them; one that moves across sets those that are chosen.
const dragging = (one, box, order, { placeOf, valueAt, perPixel, isAxis }) => {
  let start = null;
  box.addEventListener("pointerdown", (event) => {
    const [along, across] = placeOf(event);
    const v = valueAt(along);
    if (event.button || v === undefined || event.target.closest(".label")) return;
    if (event.shiftKey) chooseTo(one, order, EDITING.anchor, v);
    const how = event.shiftKey || isAxis(across) ? "choose" : null;
    start = { along, across, v, how, from: adds(one, v, chosenClass()), perPixel: perPixel(), id: event.pointerId };
  });
  box.addEventListener("pointermove", (event) => {
    if (!start || event.shiftKey) return;
    const [along, across] = placeOf(event);
    const [far, high] = [Math.abs(along - start.along), Math.abs(across - start.across)];
    if (!start.how && Math.max(far, high) < 5) return;
    box.setPointerCapture(start.id);
    if (!start.how && high >= far && !EDITING.chosen.includes(start.v)) choose(one, [], start.v);
    start.how ??= high >= far ? "set" : "choose";
    if (start.how === "set") setTo(one, start.from + (across - start.across) * start.perPixel);
    else chooseTo(one, order, start.v, valueAt(along) ?? start.v);
  });
  const end = (event) => {
    if (start && !start.how && event.type === "pointerup") choose(one, [], start.v);
    start = null;
  };
  for (const name of ["pointerup", "pointercancel"]) box.addEventListener(name, end);
};
// The picture of a number: its values stand side by side, and their effects are heights.
const editMarks = (track) => {
  const { one, c, seen, gone, width, inside, top, floor, y, ink } = track;
  if (!isOpen(one)) return [];
  EDITING.track = track;
  const ends = (v) => (gone.includes(v) ? [width - 62, width - 14] : [inside(v), inside(v + 1)]);
  return [...seen, ...gone].flatMap((v) => {
    const [from, to] = ends(v);
    const isChosen = chosenNow().includes(v);
    const isAlone = isChosen && chosenNow().length === 1;
    const place = { x: from, y: top, width: Math.max(to - from, 1), height: floor - top };
    const dot = { class: "dot", cx: (from + to) / 2, cy: y(adds(one, v, c)), r: isAlone ? 6 : 3.5, stroke: ink };
    const hasRoom = isAlone || to - from >= 9;
    return [isChosen ? draw("rect", { class: "chosen", ...place }) : null, hasRoom ? draw("circle", dot) : null];
  });
};
const editNumbers = (one, box) => {
  const order = upTo(one.detail.values - 1);
  const placeOf = (event) => {
    const frame = box.firstChild.getBoundingClientRect();
    const size = EDITING.track.width / frame.width;
    return [(event.clientX - frame.left) * size, (event.clientY - frame.top) * size];
  };
  const valueAt = (x) => {
    const { seen, gone, right, inside } = EDITING.track;
    return x > right + 8 && gone.length ? gone[0] : (seen.find((v) => x < inside(v + 1)) ?? seen.at(-1));
  };
  const perPixel = () => 1 / (EDITING.track.y(1) - EDITING.track.y(0));
  const isAxis = (y) => y > EDITING.track.floor - EDITING.track.bars - 12;
  dragging(one, box, order, { placeOf, valueAt, perPixel, isAxis });
  box.addEventListener("keydown", onKeys(one, order, ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"]));
  const words = { role: "slider", "aria-label": `Effects of ${shorten(one.name)}`, "aria-orientation": "vertical" };
  fill(box, { class: "chart editing", tabindex: 0, ...words }, []);
  const show = () => {
    const now = adds(one, EDITING.at, chosenClass());
    fill(box, { "aria-valuenow": now.toFixed(2), "aria-valuetext": chosenWords(one) }, []);
  };
  return { order, show };
};
// The list of categories: they stand one below the other, and their effects are places on a line.
const editCategories = (one, box) => {
  const lines = () => [...box.querySelectorAll(".value-line")];
  const order = lines().map((line) => Number(line.dataset.value));
  const placeOf = (event) => [event.clientY, event.clientX];
  const valueAt = (y) => order[lines().findIndex((line) => y < line.getBoundingClientRect().bottom)];
  const perPixel = () => {
    const [low, high] = ["low", "high"].map((end) => Number(box.dataset[end]));
    return (high - low) / box.querySelector(".track").getBoundingClientRect().width;
  };
  dragging(one, box, order, { placeOf, valueAt, perPixel, isAxis: () => false });
  box.addEventListener("keydown", onKeys(one, order, ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]));
  box.addEventListener("click", ({ target }) => {
    const line = target.closest(".label")?.closest(".value-line");
    if (line) toggleChosen(one, Number(line.dataset.value));
  });
  const words = { role: "listbox", "aria-label": `Effects of ${shorten(one.name)}`, "aria-multiselectable": "true" };
  fill(box, { class: "list editing", tabindex: 0, ...words }, []);
  const show = () => {
    for (const line of lines()) {
      const v = Number(line.dataset.value);
      const id = `value-${v}`;
      fill(line, { role: "option", id, "aria-selected": String(EDITING.chosen.includes(v)) }, []);
      line.classList.toggle("at", v === EDITING.at);
      if (v === EDITING.at) box.setAttribute("aria-activedescendant", id);
    }
  };
  return { order, show };
};

// --- what an editor shows
const share = (value) => (Number.isNaN(value) ? "–" : percent(value));
const loss = (value) => value.toFixed(3);
const fromTo = (before, now, format) => {
  const [a, b] = [format(before), format(now)];
  return a === b ? b : `${a.replace(" %", "")} → ${b}`;
};
const figuresShown = () => {
  const { before, now, rows } = EDITING.trial;
  const part = rows.length < D.rowsInTable ? `a random sample of ${whole(rows.length)} of the ` : "the ";
  const caution = D.outOfFold ? " The model may have learned from them: read the change, not the level." : "";
  const changed = before.predicted.filter((c, i) => c !== now.predicted[i]).length;
  const overall = [
    ["accuracy", fromTo(before.accuracy, now.accuracy, share)],
    ["log-loss", fromTo(before.logLoss, now.logLoss, loss)],
    ["rows whose class changes", whole(changed)],
  ].map(([words, figure]) => tr(th("row", words), td(figure)));
  const ofClasses = D.classes.map((words, c) => {
    const [a, b] = [before, now].map((figures) => figures.classes[c]);
    const cells = [fromTo(a.recall, b.recall, share), fromTo(a.predicted, b.predicted, share), share(a.actual)];
    return tr(th("row", named(words, 30)), ...cells.map((cell) => td(cell)));
  });
  const heads = ["class", "recall", "predicted", "actual"].map((words) => th("col", words));
  return [
    make("h3", {}, "Before → after"),
    make(
      "p",
      { class: "dim" },
      `On ${part}${plural(D.rowsInTable, "row")} of this page.${caution} A class is predicted by its mean probability; actual is its share of the rows.`,
    ),
    make("div", { class: "scroll" }, make("table", {}, make("tbody", {}, ...overall))),
    scrolled("Recall and shares of each class, before and after", tableOf({}, tr(...heads), ofClasses)),
  ];
};
const reasonsNote = () => {
  const without = EDITING.entries.filter(({ reason }) => !reason.trim()).length;
  return without ? `${plural(without, "edit")} without a reason: saved as “${NO_REASON}”.` : "";
};
const editsShown = () => {
  const { entries } = EDITING;
  if (!entries.length) return [];
  const note = make("p", { class: "dim" }, reasonsNote());
  const line = (entry, k) => {
    const words = `${shorten(entry.name)}: ${entry.words}`;
    const input = make("input", {
      type: "text",
      "aria-label": `Reason: ${words}`,
      placeholder: "Why? A reason in words",
    });
    input.value = entry.reason;
    input.addEventListener("input", () => {
      Object.assign(entry, { reason: input.value });
      setUnsaved(true);
      note.textContent = reasonsNote();
    });
    const undo = { type: "button", "aria-label": `Undo: ${words}`, on: { click: () => undoEdit(k) } };
    const said = make("span", {}, make("bdi", { class: "name" }, shorten(entry.name)), `: ${entry.words}`);
    return make("li", {}, said, make("div", { class: "field-row" }, input, make("button", undo, "Undo")));
  };
  const save = { type: "button", on: { click: saveEdits } };
  return [
    make("h3", {}, plural(entries.length, "edit")),
    make("ol", {}, ...entries.map(line)),
    note,
    make("div", { class: "controls" }, make("button", save, `Save ${plural(entries.length, "edit")}`)),
  ];
};
const KIND = {
  number: {
    tools: { flatten: "Flatten", smooth: "Smooth", rising: "Rising", falling: "Falling" },
    hint: "Drag a point up or down; drag sideways to choose several values, which then move together. Keys: ← → choose, with Shift several; ↑ ↓ move; Ctrl+Z undoes. Dashed is what was learned.",
    make: editNumbers,
  },
  category: {
    tools: { merge: "Merge" },
    hint: "Drag a point sideways; tick several values to move or merge them together. Keys: ↑ ↓ choose, Space ticks; ← → move; Ctrl+Z undoes. A short line is what was learned.",
    make: editCategories,
  },
  pair: {
    tools: {},
    hint: "What the two add beyond each alone can be removed.",
    make: () => ({ order: [], show() {} }),
  },
};
// The controls above what is edited, and the figures and edits below it. Box is what has the focus, paint draws it.
const editorOf = (what, box, paint) => {
  const kind = KIND[isAttribute(what) ? (what.detail.cuts ? "number" : "category") : "pair"];
  const { order, show } = kind.make(what, box);
  const button = (words, act) => make("button", { type: "button", on: { click: act } }, words);
  const tools = Object.entries(kind.tools).map(([each, words]) => [each, button(words, () => editChosen(what, each))]);
  const removal = button("Remove", () => addEdit(what, "remove", "removed"));
  const said = make("p", { class: "cell-said", role: "status" });
  const above = make("div", { class: "screen" });
  above.append(make("div", { class: "controls" }, ...tools.map(([, each]) => each), removal));
  above.append(make("p", { class: "dim" }, kind.hint), said);
  const [figures, edits] = [make("div"), make("div", { class: "edits" })];
  const below = make("div", { class: "editor two screen" }, figures, edits);
  const showAll = (isChanged) => {
    paint();
    show();
    const { chosen, trial } = EDITING;
    const several = chosen.length > 1;
    for (const [each, tool] of tools)
      tool.disabled = each === "flatten" || each === "merge" ? !several : isMissing(what, chosenNow()[0]);
    removal.disabled = isRemoved(what);
    if (!isChanged) return;
    below.dataset.figures = JSON.stringify(trial.now);
    figures.replaceChildren(...figuresShown());
    edits.replaceChildren(...editsShown());
  };
  EDITING.view = { said, show: showAll, focus: () => box.focus() };
  if (!order.includes(EDITING.at)) Object.assign(EDITING, { at: order[0], anchor: order[0] });
  showAll(true);
  return [above, below];
};
const editButton = (what) => {
  if (!D.trial) return null;
  const words = isOpen(what) ? "Done" : "Edit";
  const toggle = async () => {
    EDITING.trial ??= await loadTrial();
    Object.assign(EDITING, { open: isOpen(what) ? null : what, chosen: [], at: null });
    showCounts();
    showPair();
    showRow(false);
    showUnsaved();
    const again = `[data-edit="${CSS.escape(editName(what))}"]`;
    if (EDITING.open) EDITING.view.focus();
    else document.querySelector(again)?.focus();
  };
  const name = { "aria-label": `${words}: the effects of ${editName(what)}`, "data-edit": editName(what) };
  return make("button", { type: "button", class: "quiet screen edit", ...name, on: { click: toggle } }, words);
};
// Outside the editor too, the page says that what it draws and computes is edited.
const showUnsaved = () => {
  const { entries, unsaved, open } = EDITING;
  const last = entries.at(-1)?.name;
  for (const note of document.querySelectorAll(".edits-note")) {
    note.hidden = !entries.length;
    note.classList.toggle("paper", open !== null); // the editor says it already, but on paper nothing else would
    note.textContent = `This part shows the model with ${plural(entries.length, "edit")}${unsaved ? ", not saved yet" : ""}; dashed is what was learned. “Edit” at ${shorten(last ?? "")} lists them. Verdict and mistakes are those of the model as it was learned.`;
  }
};
