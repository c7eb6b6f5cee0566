// What the desk asks in a box of its own: the reason of an outcome, the password, which of two decisions holds.

import { typeset } from "../math";

const dialog = (id: string): HTMLDialogElement => document.querySelector<HTMLDialogElement>(`dialog#${id}`)!;

let last: Promise<unknown> = Promise.resolve();

/** Boxes wait for each other. */
export function inTurn<Result>(ask: () => Promise<Result>): Promise<Result> {
  const result = last.then(ask);
  last = result.catch(() => undefined);
  return result;
}

const textOf = (reason: Element): string => reason.querySelector("span")!.textContent!;

/** The assessor's own words in a comment: what a number put there, or before them, is the reason of an outcome. */
export function ownWords(comment: string): string {
  for (const reason of [...dialog("reason").querySelectorAll(".reasons button")].map(textOf)) {
    if (comment === reason) return "";
    if (comment.startsWith(`${reason}: `)) return comment.slice(`${reason}: `.length);
  }
  return comment;
}

/** Why: one of the usual reasons by its number, before what was written already, or own words and Enter. Undefined where
 * the assessor thought better. `tellHasty` is called for each key of whoever types on after a number. */
export function askWhy(
  outcome: string,
  comment: string,
  isNeeded: boolean,
  tellHasty: () => void,
): Promise<string | undefined> {
  const box = dialog("reason");
  const text = box.querySelector("textarea")!;
  let usual: HTMLButtonElement[] = [];
  for (const group of box.querySelectorAll<HTMLElement>(".reasons")) {
    group.hidden = group.dataset.outcome !== outcome;
    if (group.hidden) continue;
    box.querySelector("h2")!.textContent = group.dataset.label!;
    usual = [...group.querySelectorAll("button")];
  }
  text.value = comment;
  text.required = isNeeded;
  return new Promise((resolve) => {
    const events = new AbortController();
    const { signal } = events;
    const close = (why?: string): void => {
      events.abort();
      box.close();
      resolve(why);
    };
    const take = (button: HTMLButtonElement): void => {
      const own = ownWords(text.value.trim());
      close(own ? `${textOf(button)}: ${own}` : textOf(button));
    };
    for (const button of usual) button.addEventListener("click", () => take(button), { signal });
    box.querySelector("[data-close]")!.addEventListener("click", () => close(), { signal });
    box.addEventListener("cancel", () => close(), { signal });
    const form = box.querySelector("form")!;
    form.addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        text.value = text.value.trim();
        if (form.reportValidity()) close(text.value);
      },
      { signal },
    );
    box.addEventListener(
      "keydown",
      (event) => {
        if (event.isComposing || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
        const number = event.target === text ? 0 : Number(event.key);
        if (usual[number - 1]) {
          event.preventDefault();
          swallowTyping(tellHasty);
          take(usual[number - 1]!);
        } else if (event.key === "Enter" && !event.shiftKey && !(event.target instanceof HTMLButtonElement)) {
          event.preventDefault();
          form.requestSubmit();
        } else if (event.target !== text && event.key.length === 1 && event.key !== " ") {
          text.focus(); // own words: what was pressed is their first letter
        }
      },
      { signal },
    );
    box.showModal();
    box.focus(); // on no reason yet: Enter alone says none
  });
}

/** So many milliseconds without a key end what somebody types. */
const TYPING = 400;

/** Whoever meant a number as the first sign of own words types on: no key of those `meant` is for the desk till a pause. */
export function swallowTyping(tellHasty: () => void, meant = /^(.|Enter)$/): void {
  let last = performance.now();
  const events = new AbortController();
  const swallow = (event: KeyboardEvent): void => {
    if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return; // no typing, and nothing to the desk
    const isOther = !meant.test(event.key) && event.key.length === 1;
    if (isOther || event.timeStamp - last > TYPING) return events.abort();
    if (!meant.test(event.key)) return;
    last = event.timeStamp;
    event.preventDefault();
    event.stopImmediatePropagation();
    tellHasty();
  };
  document.addEventListener("keydown", swallow, { capture: true, signal: events.signal });
}

const IN = "in";
/** So many milliseconds after the box of the password has come, what is pressed was meant for the desk. */
const HASTY = 500;

/** Why the password is asked for: the session has ended, or `other` has signed in instead. */
export function tellWhoIsIn(other: string): void {
  for (const part of dialog("login").querySelectorAll<HTMLElement>("[data-ended]")) {
    part.textContent = (other ? part.dataset.other! : part.dataset.ended!).replaceAll("{}", other);
  }
}

/** The box is left as if the password had been given. */
export const leavePassword = (): void => dialog("login").close(IN);

/** Asks for the password until `signIn` takes it; false where the box was left. */
export function askPassword(signIn: (password: string) => Promise<boolean>, wrong: string): Promise<boolean> {
  const box = dialog("login");
  const input = box.querySelector<HTMLInputElement>("input[type=password]")!;
  const problem = box.querySelector(".wrong")!;
  problem.textContent = input.value = "";
  const opened = performance.now();
  box.onkeydown = (event) => {
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.timeStamp - opened < HASTY) event.preventDefault();
  };
  return new Promise((resolve) => {
    box.querySelector("form")!.onsubmit = async (event) => {
      event.preventDefault();
      const isIn = await signIn(input.value).catch(() => false);
      input.value = "";
      problem.textContent = isIn ? "" : wrong;
      if (!isIn) return input.focus();
      leavePassword();
    };
    void answerOf(box).then((answer) => resolve(answer === IN));
    input.focus();
  });
}

/** What a decision is about: what to call it, and as much of it as is needed to know it again. Nothing where it is no
 * longer there. */
export interface About {
  name: string;
  parts: Node[];
}

function tellAbout(box: HTMLDialogElement, about: About | undefined): void {
  const [name, item] = [box.querySelector<HTMLElement>("[data-name]")!, box.querySelector<HTMLElement>("[data-item]")!];
  for (const one of [name, item, box.querySelector<HTMLElement>("[value=open]")!]) one.hidden = about === undefined;
  name.textContent = about?.name ?? "";
  item.replaceChildren(...(about?.parts ?? []));
  void typeset(item);
}

/** Which of two decisions holds: "theirs", "ours", "open" to look at the item first, or nothing yet. */
export function askWhichHolds(theirs: string, ours: string, about?: About): Promise<string> {
  const box = dialog("conflict");
  tellAbout(box, about);
  box.querySelector("[data-theirs]")!.textContent = theirs;
  box.querySelector("[data-ours]")!.textContent = ours;
  return answerOf(box);
}

/** What to do with what was not kept: "again", "drop", "open" to look at the item first, or nothing yet. */
export function askWhetherAgain(decided: string, problem: string, about?: About): Promise<string> {
  const box = dialog("refused");
  tellAbout(box, about);
  box.querySelector("[data-decided]")!.textContent = decided;
  box.querySelector("[data-problem]")!.textContent = problem;
  return answerOf(box);
}

/** The value of the button; empty where the box was left with Escape. */
function answerOf(box: HTMLDialogElement): Promise<string> {
  box.returnValue = "";
  return new Promise((resolve) => {
    box.addEventListener("close", () => resolve(box.returnValue), { once: true });
    box.showModal();
  });
}
