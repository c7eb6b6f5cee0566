// The desk as a preview: its buttons say the usual keys of the lab.
import { commandOf, keysOf, labelOf } from "../desk/model/keymap";
import { find } from "../find";

const map = keysOf(JSON.parse(find("#desk").dataset.scale!));
document.documentElement.classList.add("keys");
for (const key of document.querySelectorAll<HTMLElement>("kbd[data-key-of]")) {
  key.textContent = labelOf(commandOf(key.dataset.keyOf!), map);
}
