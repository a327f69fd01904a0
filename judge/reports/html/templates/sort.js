"use strict";
// Sorts tables by their column headers, filters rows and unfolds everything for paper. Without it the page is whole, in the order of students.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].map((row, place) => ({ row, place, value: valueOf(row.cells[column]) }));
      rows.sort((a, b) => compare(a.value, b.value, down) || a.place - b.place);
      table.tBodies[0].append(...rows.map(({ row }) => row));
    });
  });
}

function valueOf(cell) {
  const text = (cell.dataset.v ?? cell.textContent).trim();
  const number = text === "" || text === "-" ? null : Number(text);
  return number === null ? null : Number.isNaN(number) ? text : number;
}

// What is empty comes last in both directions.
function compare(a, b, down) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
  return down ? -order : order;
}

const filter = document.getElementById("filter");
const told = document.getElementById("filtered");
filter.closest("label").hidden = false;
filter.addEventListener("input", () => {
  const wanted = filter.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const row of document.querySelectorAll("#submissions-table tbody tr")) {
    const text = row.textContent.toLowerCase();
    row.hidden = !wanted.every((word) => text.includes(word));
    shown += !row.hidden;
  }
  told.textContent = filter.value ? `${shown} shown` : "";
});

// What is folded away cannot be read on paper.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
