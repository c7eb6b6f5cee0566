// On touch screens a button marks what is selected: there is no key.
import { find } from "../../find";

const button = find<HTMLButtonElement>("#mark");
/** For so many milliseconds the button stays when nothing is selected any more: a tap on it may end the selection first. */
const A_TAP = 500;

export function offerMark(selected: () => string, mark: (text: string) => void): void {
  let [text, timer] = ["", 0];
  document.addEventListener("selectionchange", () => {
    const now = matchMedia("(pointer: coarse)").matches ? selected() : "";
    clearTimeout(timer);
    if (now) text = now;
    if (now) button.hidden = false;
    else if (!button.hidden) timer = setTimeout(() => (button.hidden = true), A_TAP);
  });
  button.addEventListener("click", () => {
    getSelection()!.removeAllRanges();
    mark(text);
  });
}
