// Asks for the reason of an outcome: a usual reason, chosen by its number or a click, own words, or both. Only Enter or the
// button saves, so that a stray key does no harm. Choosing a reason again takes it away.
import { ownWords, withReason } from "../model/comments";
import { closed, dialog } from "./dialogs";

const textOf = (reason: Element): string => reason.querySelector("span")!.textContent!;

const box = dialog("reason");
const text = box.querySelector("textarea")!;
const form = box.querySelector("form")!;
const all = [...box.querySelectorAll<HTMLButtonElement>(".reasons button")];

/** All usual reasons. */
export const reasons: readonly string[] = all.map(textOf);

let usual: HTMLButtonElement[] = [];
let chosen: HTMLButtonElement | undefined;
let isNeeded = false;
let answer: string | undefined;

/** Undefined if the dialog was left. */
export async function askWhy(outcome: string, comment: string, isReasonNeeded: boolean): Promise<string | undefined> {
  for (const group of box.querySelectorAll<HTMLElement>(".reasons")) {
    group.hidden = group.dataset.outcome !== outcome;
    if (!group.hidden) box.querySelector("h2")!.textContent = group.dataset.label!;
  }
  usual = all.filter((button) => button.closest<HTMLElement>(".reasons")!.dataset.outcome === outcome);
  isNeeded = isReasonNeeded;
  answer = undefined;
  choose();
  text.value = comment;
  const end = closed(box);
  box.show(); // not modal: what one writes about can be read and scrolled
  setInert(true);
  box.focus(); // on no reason yet: Enter alone does not choose one
  await end;
  setInert(false);
  return answer;
}

/** All that would decide something else, or lead elsewhere. */
function setInert(isInert: boolean): void {
  box.parentElement!.classList.toggle("asking", isInert);
  for (const part of document.querySelectorAll<HTMLElement>(".desk-bar, .item.current .grade-bar, #undo, #recent")) {
    part.inert = isInert;
  }
}

document.addEventListener("keydown", ({ key, isComposing, defaultPrevented }) => {
  if (key === "Escape" && box.open && !isComposing && !defaultPrevented) box.close();
});

function choose(reason?: HTMLButtonElement): void {
  chosen = reason;
  for (const button of usual) button.setAttribute("aria-pressed", String(button === reason));
  text.required = isNeeded && !reason;
}

function close(reason: string): void {
  answer = reason;
  box.close();
}

function toggle(reason: HTMLButtonElement): void {
  choose(reason === chosen ? undefined : reason);
  reason.focus();
}

for (const button of all) button.addEventListener("click", () => toggle(button));
box.querySelector("[data-close]")!.addEventListener("click", () => box.close());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  text.value = text.value.trim();
  const reason = chosen ?? usual[Number(text.value) - 1]; // a number alone is no words
  if (!chosen && reason) text.value = "";
  if (reason) close(withReason(textOf(reason), text.value, reasons));
  else if (form.reportValidity()) close(text.value);
});
box.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.isComposing || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  const reason = usual[Number(key) - 1];
  const focused = usual.find((button) => button === target);
  if (key === "Enter" && !event.shiftKey && (focused || !(target instanceof HTMLButtonElement))) {
    event.preventDefault();
    if (focused) choose(focused);
    form.requestSubmit();
  } else if (target !== text && reason) {
    event.preventDefault();
    toggle(reason);
  } else if (target !== text && key.length === 1 && key !== " ") {
    const before = text.value.trim();
    text.value = before && before + (ownWords(before, reasons) ? " " : ": ");
    text.focus(); // the character goes there, after the reason if one is chosen
  }
});
