// Sorts every table by any of its columns, and searches the rows of the first one.
(() => {
  const keyOf = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = Number.parseFloat(text.replace(/^[^\d.-]+/, ""));
    return Number.isNaN(number) ? text : number;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  for (const button of document.querySelectorAll("thead button")) {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const heads = [...head.parentElement.children];
      const body = head.closest("table").tBodies[0];
      const column = heads.indexOf(head);
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].sort((a, b) => (up ? 1 : -1) * compare(keyOf(a, column), keyOf(b, column)));
      body.append(...rows);
    });
  }
  const search = document.getElementById("search");
  search?.addEventListener("input", () => {
    const rows = [...search.closest("section").querySelector("tbody").rows];
    const wanted = search.value.trim().toLocaleLowerCase();
    for (const row of rows) row.hidden = !row.cells[0].textContent.toLocaleLowerCase().includes(wanted);
    const shown = rows.filter((row) => !row.hidden).length;
    document.getElementById("found").textContent = wanted ? `${shown} of ${rows.length}` : "";
  });
  document.documentElement.dataset.ready = "yes";
})();
