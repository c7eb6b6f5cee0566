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
    const [before, after] = [comment.slice(0, reason.length), comment.slice(reason.length)];
    if (before === reason && !/^\p{L}/u.test(after)) return ownWords(after.replace(/^[\s:;,.]+/, ""));
  }
  return comment;
}

/** Why: one of the usual reasons, chosen by its number, before what was written already, or own words; Enter saves.
 * Whoever types on after a number had it in mind as the first sign of own words. Undefined where the assessor thought
 * better. */
export function askWhy(outcome: string, comment: string, isNeeded: boolean): Promise<string | undefined> {
  const box = dialog("reason");
  const text = box.querySelector("textarea")!;
  let usual: HTMLButtonElement[] = [];
  for (const group of box.querySelectorAll<HTMLElement>(".reasons")) {
    group.hidden = group.dataset.outcome !== outcome;
    if (group.hidden) continue;
    box.querySelector("h2")!.textContent = group.dataset.label!;
    usual = [...group.querySelectorAll("button")];
  }
  let [chosen, numbers] = [undefined as HTMLButtonElement | undefined, ""];
  const choose = (reason?: HTMLButtonElement): void => {
    chosen = reason;
    for (const one of usual) one.setAttribute("aria-pressed", String(one === reason));
    text.required = isNeeded && !reason;
  };
  choose();
  text.value = comment;
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
        const reason = chosen ?? usual[Number(text.value) - 1]; // a number alone is no words
        if (!chosen && reason) text.value = "";
        if (reason) return take(reason);
        if (form.reportValidity()) close(text.value);
      },
      { signal },
    );
    box.addEventListener(
      "keydown",
      (event) => {
        const { key, target } = event;
        if (event.isComposing || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
        if (target !== chosen) numbers = "";
        const reason = usual[Number(key) - 1];
        const isSign = key.length === 1 && (key !== " " || numbers !== "");
        if (key === "Enter" && !event.shiftKey && !(target instanceof HTMLButtonElement)) {
          event.preventDefault();
          form.requestSubmit();
        } else if (target !== text && reason) {
          event.preventDefault();
          numbers += key;
          choose(reason);
          reason.focus();
        } else if (target !== text && isSign) {
          if (numbers) choose();
          const before = text.value.trim();
          text.value = before && before + (ownWords(before) ? " " : ": ");
          text.value += numbers;
          text.focus(); // what was pressed goes on there
        }
      },
      { signal },
    );
    box.showModal();
    box.focus(); // on no reason yet: Enter alone says none
  });
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
