// Section 1: the weights, with relevance and redundancy next to them. Only the lines that are shown are created.
const TOP = 20;
const setUpWeights = () => {
  const list = $("weights-list");
  const search = $("weights-search");
  const toggle = $("weights-all");
  const note = $("weights-note");
  const ranked = bySize((one) => one.weight);
  const n = ranked.length;
  const low = Math.min(0, ...ranked.map((one) => one.weight));
  const high = Math.max(0, ...ranked.map((one) => one.weight));
  const most = (key) => Math.max(...ranked.map((one) => one[key]), 1e-12);
  const mostRelevant = most("relevance");
  const mostRedundant = most("redundancy");
  let all = false;
  const whose =
    D.indexesOf === D.model
      ? ""
      : ` Relevance and redundancy are those that ${D.indexesOf} finds on the rows of this page; ${D.model} has none of its own.`;
  $("weights-words").textContent =
    `${D.weightSentence} Next to it are the relevance, how well the attribute predicts the class, and the redundancy, how much of its information the other attributes have too.${whose}`;
  const head = () =>
    make(
      "div",
      { class: "line weight head" },
      make("span", {}, "attribute"),
      make("span", { class: "bar main", style: "background:none;height:auto" }, D.weightWord),
      make("span"),
      make("span", { class: "small" }, "relevance"),
      make("span"),
      make("span", { class: "small" }, "redundancy"),
      make("span"),
    );
  const line = (one) =>
    make(
      "div",
      { class: "line weight", "data-attribute": one.position },
      make("span", { class: "label" }, opener(one)),
      bar(one.weight, low, high),
      make("span", { class: "value main" }, number(one.weight)),
      smallBar(one.relevance, mostRelevant, "grey"),
      make("span", { class: "value side", "data-label": "relevance" }, number(one.relevance)),
      smallBar(one.redundancy, mostRedundant, "hatch"),
      make("span", { class: "value side", "data-label": "redundancy" }, number(one.redundancy)),
    );
  const show = () => {
    const found = search.value.trim() ? ranked.filter((one) => matches(one.name, search.value)) : ranked;
    const shown = all ? found : found.slice(0, TOP);
    list.replaceChildren(make("div", { class: "list" }, head(), ...shown.map(line)));
    note.textContent =
      found.length === 0
        ? "No attribute has that in its name."
        : shown.length < found.length
          ? `${shown.length} of ${plural(found.length, "attribute")}, the largest first.`
          : n > TOP || search.value
            ? `${plural(found.length, "attribute")}.`
            : "";
    toggle.textContent = all ? `Show the top ${TOP}` : `Show all ${n}`;
  };
  toggle.hidden = n <= TOP;
  search.closest("label").hidden = n <= 8;
  search.closest(".controls").hidden = n <= 8;
  search.addEventListener("input", show);
  toggle.addEventListener("click", () => {
    all = !all;
    show();
  });
  show();
};
