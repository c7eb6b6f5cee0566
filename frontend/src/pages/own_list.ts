// The list of a topic: the last judgment of this window is undone at the desk, by a click or by its key.
import { isOn, labelOf, ownMap, pressed } from "../desk/keys";
import { pastOf, UNDO } from "../desk/past";
import { address } from "../desk/server";
import { find } from "../find";

const line = find("#undo");
const link = line.querySelector("a")!;
const assignment = line.dataset.assignment!;

/** Also where the page comes back as it was left. */
function offerUndo(): void {
  const last = pastOf(assignment).at(-1);
  line.hidden = last === undefined;
  if (last) link.href = address(assignment, last.place) + UNDO;
  link.querySelector("kbd")!.textContent = isOn() ? labelOf("undo", ownMap()) : "";
}

addEventListener("pageshow", offerUndo);
document.addEventListener("keydown", (event) => {
  if (line.hidden || !isOn() || pressed(event, ownMap()) !== "undo") return;
  event.preventDefault();
  link.click();
});
