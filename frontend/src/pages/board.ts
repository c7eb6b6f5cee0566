// The assignment board: the heads of the columns add up what each assessor has and would get.
import { find } from "../find";

const board = find<HTMLTableElement>("table.board");

function addUp(): void {
  for (const total of board.querySelectorAll<HTMLElement>("output[data-documents]")) {
    const chosen = [...board.querySelectorAll<HTMLInputElement>(`input[value="${total.dataset.assessor}"]:checked`)];
    const documents = chosen.reduce((sum, choice) => sum + Number(choice.closest("tr")!.dataset.documents), 0);
    total.textContent = (Number(total.dataset.documents) + documents).toLocaleString("en");
  }
}

board.addEventListener("change", addUp);
addEventListener("pageshow", addUp); // a browser may restore what was chosen
