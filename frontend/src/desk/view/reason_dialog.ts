// Asks for the reason of an outcome.
import { ownWords, withReason } from "../model/comments";
import { dialog } from "./dialogs";

const textOf = (reason: Element): string => reason.querySelector("span")!.textContent!;

const box = dialog("reason");
const text = box.querySelector("textarea")!;
const form = box.querySelector("form")!;

/** All usual reasons. */
export const reasons: readonly string[] = [...box.querySelectorAll(".reasons button")].map(textOf);

/** Shows the usual reasons of an outcome. */
function showReasons(outcome: string): HTMLButtonElement[] {
  let usual: HTMLButtonElement[] = [];
  for (const group of box.querySelectorAll<HTMLElement>(".reasons")) {
    group.hidden = group.dataset.outcome !== outcome;
    if (group.hidden) continue;
    box.querySelector("h2")!.textContent = group.dataset.label!;
    usual = [...group.querySelectorAll("button")];
  }
  return usual;
}

/** One of the usual reasons, chosen by its number, before what was written already, or own words; Enter saves. If more is
 * typed after a number, that was the beginning of own words. Undefined if the dialog was left. */
export function askWhy(outcome: string, comment: string, isNeeded: boolean): Promise<string | undefined> {
  const usual = showReasons(outcome);
  let [chosen, numbers] = [undefined as HTMLButtonElement | undefined, ""];
  const choose = (reason?: HTMLButtonElement): void => {
    chosen = reason;
    for (const button of usual) button.setAttribute("aria-pressed", String(button === reason));
    text.required = isNeeded && !reason;
  };
  const press = (event: KeyboardEvent): void => {
    const { key, target } = event;
    if (event.isComposing || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (target !== chosen) numbers = "";
    const reason = usual[Number(key) - 1];
    const isCharacter = key.length === 1 && (key !== " " || numbers !== "");
    if (key === "Enter" && !event.shiftKey && !(target instanceof HTMLButtonElement)) {
      event.preventDefault();
      form.requestSubmit();
    } else if (target !== text && reason) {
      event.preventDefault();
      numbers += key;
      choose(reason);
      reason.focus();
    } else if (target !== text && isCharacter) {
      if (numbers) choose();
      const before = text.value.trim();
      text.value = before && before + (ownWords(before, reasons) ? " " : ": ");
      text.value += numbers;
      text.focus(); // the character goes there
    }
  };
  choose();
  text.value = comment;
  return new Promise((resolve) => {
    const events = new AbortController();
    const { signal } = events;
    const close = (reason?: string): void => {
      events.abort();
      box.close();
      resolve(reason);
    };
    const take = (button: HTMLButtonElement): void => close(withReason(textOf(button), text.value, reasons));
    const submit = (event: SubmitEvent): void => {
      event.preventDefault();
      text.value = text.value.trim();
      const reason = chosen ?? usual[Number(text.value) - 1]; // a number alone is no words
      if (!chosen && reason) text.value = "";
      if (reason) return take(reason);
      if (form.reportValidity()) close(text.value);
    };
    for (const button of usual) button.addEventListener("click", () => take(button), { signal });
    box.querySelector("[data-close]")!.addEventListener("click", () => close(), { signal });
    box.addEventListener("cancel", () => close(), { signal });
    form.addEventListener("submit", submit, { signal });
    box.addEventListener("keydown", press, { signal });
    box.showModal();
    box.focus(); // on no reason yet: Enter alone does not choose one
  });
}
