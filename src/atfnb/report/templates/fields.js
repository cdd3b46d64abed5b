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
      const texts = new Map(categories.map((value) => [categoryText(value, planned), value]));
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
          input.value = value === null ? "" : value === UNSEEN ? "another value" : categoryText(value, planned);
        },
      };
    }
    const select = make(
      "select",
      { id },
      ...categories.map((value, k) => make("option", { value: k }, shorten(categoryText(value, planned), 80))),
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
          strange.textContent = `${shorten(categoryText(value, planned), 60)}, not seen in training`;
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
