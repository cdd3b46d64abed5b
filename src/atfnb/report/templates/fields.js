// The model as the page computes it, and the fields of the form in which its values are set.
const calculator = (() => {
  const W = D.whatIf;
  if (!W) return null;
  const flat = numbersOf(W.scores, Float64Array);
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
const categoryText = (value, planned) => {
  if (typeof value === "boolean")
    return planned.labels[planned.categories.indexOf(value)] ?? (value ? "True" : "False");
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

// --- the fields of the form: each is { box, set(value) }, and calls changed(value) when the reader changes it
const fieldBoxOf = (field, id, ...inputs) => {
  const share = make("span", { class: "dim" }, percent(field.share));
  const head = make("div", { class: "field-head" }, make("label", { for: id }, named(field.name, 60)), share);
  return make("div", { class: "field" }, head, make("div", { class: "field-row" }, ...inputs));
};
// A category out of many is typed.
const typedField = (field, id, changed, planned, categories) => {
  const texts = new Map(categories.map((value) => [categoryText(value, planned), value]));
  const list = make("datalist", { id: `${id}-list` });
  const input = make("input", { type: "text", id, list: list.id, autocomplete: "off", spellcheck: "false" });
  const offer = () => {
    const found = [...texts.keys()].filter((words) => matches(words, input.value)).slice(0, 50);
    list.replaceChildren(...found.map((words) => make("option", { value: words })));
  };
  input.addEventListener("input", () => {
    offer();
    changed(input.value === "" ? null : (texts.get(input.value.trim()) ?? UNSEEN));
  });
  offer();
  const set = (value) => {
    input.value = value === null ? "" : value === UNSEEN ? "another value" : categoryText(value, planned);
  };
  return { box: fieldBoxOf(field, id, input, list), set };
};
const menuField = (field, id, changed) => {
  const planned = calculator.attributes[field.attributes[0]];
  const categories = planned.categories.map(fromJson);
  if (categories.length > MOST_OPTIONS) return typedField(field, id, changed, planned, categories);
  const pooled = D.whatIf.pooled[field.attributes[0]] ?? "another value, not seen in training";
  const strange = make("option", { value: "strange", hidden: true });
  const select = make(
    "select",
    { id },
    ...categories.map((value, k) => make("option", { value: k }, shorten(categoryText(value, planned), 80))),
    make("option", { value: "other" }, pooled),
    strange,
    make("option", { value: "missing" }, "missing"),
  );
  const values = { missing: null, other: UNSEEN, strange: UNSEEN };
  select.addEventListener("change", () => {
    const { value } = select;
    changed(value in values ? values[value] : categories[Number(value)]);
  });
  const set = (value) => {
    const k = categories.indexOf(value);
    if (value === null) select.value = "missing";
    else if (value === UNSEEN) select.value = "other";
    else if (k >= 0) select.value = k;
    else {
      values.strange = value;
      strange.hidden = false;
      strange.textContent = `${shorten(categoryText(value, planned), 60)}, not seen in training`;
      select.value = "strange";
    }
  };
  return { box: fieldBoxOf(field, id, select), set };
};
// A number, a date or a time, and a box to tick where it is missing; show(value) puts a value into the inputs.
const knownField = (field, id, changed, inputs, show) => {
  const gone = make("input", { type: "checkbox", "aria-label": `${shorten(field.name, 60)} is missing` });
  let before = field.typical;
  gone.addEventListener("change", () => changed(gone.checked ? null : before));
  const take = (value) => {
    before = value;
    gone.checked = false;
    changed(value);
  };
  const set = (value) => {
    gone.checked = value === null;
    if (field.kind === "number") for (const input of inputs) input.disabled = gone.checked;
    if (value === null) return;
    before = value;
    show(value);
  };
  const missing = make("label", { class: "tick" }, gone, " missing");
  return { box: fieldBoxOf(field, id, ...inputs, missing), set, take };
};
const momentField = (field, id, changed) => {
  const type = { date: "date", moment: "datetime-local", time: "time" }[field.kind];
  const input = make("input", { type, id, step: field.kind === "moment" ? "any" : null });
  const one = knownField(field, id, changed, [input], (value) => {
    const day = String(value);
    const text = day.slice(0, { date: 10, moment: 23, time: 12 }[field.kind]); // milliseconds at most
    input.value = field.kind === "moment" && day.length === 10 ? `${day}T00:00` : text;
  });
  input.addEventListener("input", () => input.value !== "" && one.take(input.value));
  return one;
};
const numberField = (field, id, changed) => {
  const { low: min, high: max, whole: isWhole } = field;
  const step = isWhole ? 1 : (max - min) / 200 || 1;
  const slider = make("input", { type: "range", min, max, step, "aria-label": `${shorten(field.name, 60)}, slider` });
  const box = make("input", { type: "number", id, step: isWhole ? 1 : "any" });
  const one = knownField(field, id, changed, [slider, box], (value) => {
    box.value = value;
    slider.value = value;
  });
  slider.addEventListener("input", () => {
    box.value = Number(Number(slider.value).toPrecision(isWhole ? 15 : 6));
    one.take(box.valueAsNumber);
  });
  box.addEventListener("input", () => {
    if (!Number.isFinite(box.valueAsNumber)) return;
    slider.value = box.value;
    one.take(box.valueAsNumber);
  });
  return one;
};
const fieldOf = (field, ...others) =>
  ({ menu: menuField, number: numberField })[field.kind]?.(field, ...others) ?? momentField(field, ...others);
