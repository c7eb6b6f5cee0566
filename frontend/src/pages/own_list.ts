// The list of a topic: the last judgment of this window is undone at the desk, by a click or by its key.
import { keysOf, labelOf, type KeyMap } from "../desk/model/keymap";
import { areKeysOn, loadHistory, loadOwnKeys } from "../desk/sync/local_data";
import { address, UNDO } from "../desk/sync/server";
import { pressedCommand } from "../desk/view/keys";
import { find } from "../find";

const line = find("#undo");
const link = line.querySelector("a")!;
const assignment = line.dataset.assignment!;
const keys = (): KeyMap => keysOf(JSON.parse(line.dataset.scale!), loadOwnKeys());

/** Also if the page comes back as it was left. */
function offerUndo(): void {
  const last = loadHistory(assignment).at(-1);
  line.hidden = last === undefined;
  if (last) link.href = address(assignment, last.place) + UNDO;
  link.querySelector("kbd")!.textContent = areKeysOn() ? labelOf("undo", keys()) : "";
}

addEventListener("pageshow", offerUndo);
document.addEventListener("keydown", (event) => {
  if (line.hidden || !areKeysOn() || pressedCommand(event, keys()) !== "undo") return;
  event.preventDefault();
  link.click();
});
