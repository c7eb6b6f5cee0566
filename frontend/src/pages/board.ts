// The assignment board: an open topic can be dragged into an assessor's column, onto any row of it. That chooses the
// radio button of the topic there. The heads of the columns add up what each assessor has and would get.
import { find } from "../find";

const board = find<HTMLTableElement>("table.board");
let dragged: HTMLTableRowElement | null = null;
let target: HTMLTableCellElement | null = null;

const choiceIn = (cell: Element | undefined): HTMLInputElement | null => cell?.querySelector<HTMLInputElement>("input[type=radio]") ?? null;

/** The cell of the dragged topic in the column under the pointer, if the topic can go there. */
function cellUnder(event: DragEvent): HTMLTableCellElement | null {
  const under = event.target instanceof Element ? event.target.closest("td, th") : null;
  const cell = under instanceof HTMLTableCellElement ? dragged?.cells[under.cellIndex] : undefined;
  return choiceIn(cell) ? cell! : null;
}

function mark(cell: HTMLTableCellElement | null): void {
  target?.classList.remove("target");
  target = cell;
  target?.classList.add("target");
}

function end(): void {
  dragged?.classList.remove("dragged");
  dragged = null;
  mark(null);
}

function addUp(): void {
  for (const total of board.querySelectorAll<HTMLElement>("output[data-documents]")) {
    const chosen = [...board.querySelectorAll<HTMLInputElement>(`input[value="${total.dataset.assessor}"]:checked`)];
    const documents = chosen.reduce((sum, choice) => sum + Number(choice.closest("tr")!.dataset.documents), 0);
    total.textContent = (Number(total.dataset.documents) + documents).toLocaleString("en");
  }
}

for (const row of board.tBodies[0]!.rows) {
  if (!choiceIn(row)) continue;
  const head = row.cells[0]!;
  head.draggable = true;
  head.addEventListener("dragstart", (event) => {
    dragged = row;
    row.classList.add("dragged");
    event.dataTransfer!.setData("text/plain", head.textContent!.trim());
    event.dataTransfer!.effectAllowed = "move";
  });
}
board.addEventListener("dragover", (event) => {
  mark(cellUnder(event));
  if (target) event.preventDefault(); // a drop is possible here
});
board.addEventListener("dragleave", (event) => {
  if (!board.contains(event.relatedTarget as Node | null)) mark(null);
});
board.addEventListener("drop", (event) => {
  const choice = choiceIn(cellUnder(event) ?? undefined);
  if (!choice) return;
  event.preventDefault();
  choice.checked = true;
  choice.focus({ preventScroll: true });
  addUp();
});
board.addEventListener("dragend", end);
board.addEventListener("change", addUp);
addEventListener("pageshow", addUp); // a browser may restore what was chosen
