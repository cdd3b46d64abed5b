// What acts together: the grid of each pair as a table for each class, coloured by effect, with the rows in each cell.
let openPair = () => {};
let showPair = () => {};
const setUpPairs = () => {
  const pick = $("pair-pick");
  const pickClass = $("pair-class");
  const maps = $("pair-maps");
  const said = $("pair-cell");
  const FEW = 3; // up to this number of classes, each has a table
  const nameOf = (pair) => pair.of.map((j) => shorten(D.attributes[j].name, 40)).join(" × ");
  pick.replaceChildren(
    ...D.pairs.map((pair, p) => make("option", { value: p }, `${nameOf(pair)} (${percent(pair.share)})`)),
  );
  classOptions(pickClass, D.classRows.indexOf(Math.max(...D.classRows)));
  $("pair-class-box").hidden = K <= FEW;
  const tableFor = (pair, values, c, largest) => {
    const [first, second] = pair.labels;
    const most = Math.max(...pair.rows, 1);
    const valueAt = (g, h) => {
      const at = (g * second.length + h) * K;
      return values(at + c) - (twoClasses ? values(at + 1 - c) : 0);
    };
    const [a, b] = pair.of.map((j) => D.attributes[j]);
    const say = (g, h) => {
      const rows = pair.rows[g * second.length + h];
      said.replaceChildren(
        make("bdi", { class: "name" }, shorten(a.name, 40)),
        ` ${statement(a, first[g])} with `,
        make("bdi", { class: "name" }, shorten(b.name, 40)),
        ` ${statement(b, second[h])}: `,
        rows ? make("b", {}, `${signed(valueAt(g, h))} for ${shorten(D.classes[c], 40)}`) : "no rows in training",
        rows ? ` beyond the two alone, ${plural(rows, "row")}` : "",
      );
    };
    const cell = (g, h) => {
      const rows = pair.rows[g * second.length + h];
      const value = valueAt(g, h);
      const tint = value >= 0 ? "var(--for)" : "var(--no)";
      const depth = Math.round((55 * Math.abs(value)) / largest);
      const width = (100 * Math.sqrt(rows / most)).toFixed(1);
      const style = `background:color-mix(in srgb, ${tint} ${depth}%, var(--paper));--rows:${width}%`;
      const show = () => say(g, h);
      const look = { class: rows ? "cell" : "cell none", style: rows ? style : null };
      const place = { tabindex: g === 0 && h === 0 ? 0 : -1, "data-cell": `${g},${h}` };
      const on = { pointerenter: show, focus: show, click: show };
      return make("td", { ...look, ...place, on }, rows ? signed(value) : "·");
    };
    const name = (words) => make("bdi", {}, words);
    const lines = first.map((words, g) => tr(th("row", name(words)), ...second.map((_, h) => cell(g, h))));
    const corner = make("td", { class: "corner" }, name(a.name), " ↓ ", name(b.name), " →");
    const head = tr(corner, ...second.map((words) => th("col", name(words))));
    const table = tableOf({ class: "heat" }, head, lines);
    table.addEventListener("keydown", (event) => {
      const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      const here = event.target.dataset?.cell?.split(",").map(Number);
      if (!by || !here) return;
      event.preventDefault();
      const to = table.querySelector(`[data-cell="${here[0] + by[0]},${here[1] + by[1]}"]`);
      if (!to) return;
      event.target.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    });
    const against = twoClasses ? " (blue) and against it (red)" : "";
    const caption = make("figcaption", {}, "for ", make("b", {}, named(D.classes[c], 40)), against);
    const box = scrolled(`${nameOf(pair)}, effects for ${shorten(D.classes[c], 40)}`, table, "tall");
    return make("figure", {}, caption, box);
  };
  const paint = (pair) => {
    const values = D.trial && isRemoved(pair) ? () => 0 : unpack(pair.effects);
    const classes = twoClasses ? [1] : K <= FEW ? D.classes.map((_, c) => c) : [Number(pickClass.value)];
    const sizes = pair.rows.map((_, at) => Math.max(...classes.map((c) => Math.abs(values(at * K + c)))));
    const largest = Math.max(...sizes, pair.effects.scale) * (twoClasses ? 2 : 1);
    $("pair-words").replaceChildren(
      ...pair.words.map(([words, isName]) => (isName ? make("bdi", { class: "name" }, shorten(words, 60)) : words)),
    );
    maps.replaceChildren(...classes.map((c) => tableFor(pair, values, c, largest)));
  };
  const show = () => {
    const pair = D.pairs[Number(pick.value)];
    const button = editButton(pair);
    paint(pair);
    $("pair-edit").replaceChildren(button ?? "", ...(isOpen(pair) ? editorOf(pair, button, () => paint(pair)) : []));
    said.textContent = "Point at a cell, or move with the arrow keys, to read it.";
    $("pair-previous").disabled = $("pair-next").disabled = D.pairs.length < 2;
  };
  const step = (by) => {
    open((Number(pick.value) + by + D.pairs.length) % D.pairs.length);
  };
  const open = (p) => {
    pick.value = p;
    pickClass.value = D.pairs[p].focus;
    show();
  };
  showPair = show;
  openPair = (p) => {
    open(p);
    $("together").scrollIntoView();
  };
  pick.addEventListener("change", () => open(Number(pick.value)));
  pickClass.addEventListener("change", show);
  $("pair-previous").addEventListener("click", () => step(-1));
  $("pair-next").addEventListener("click", () => step(1));
  open(0);
};
