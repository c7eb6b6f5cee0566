// A session that has ended, or is another person's: the person whose page it is signs in again, in a dialog.
import { signIn } from "../sync/server";
import { answerOf, dialog, inTurn } from "./dialogs";
import { statusLine } from "./status";

const IN = "in";
/** For so many milliseconds after the dialog has opened, keys were meant for the page. */
const HASTY = 500;

const box = dialog("login");
const words = box.dataset as Record<string, string>;
const input = box.querySelector<HTMLInputElement>("input[type=password]")!;
const problem = box.querySelector(".wrong")!;
let opened = 0;
let asking: Promise<boolean> | undefined;

/** Asks for the password; false if the dialog was left. Then a button beside the status line opens it again.
 * `other` has signed in instead, if anybody. */
export function askToSignIn(other: string): Promise<boolean> {
  for (const part of box.querySelectorAll<HTMLElement>("[data-ended]")) {
    part.textContent = (other ? part.dataset.other! : part.dataset.ended!).replaceAll("{}", other);
  }
  asking ??= inTurn(askPassword).then((isIn) => {
    asking = undefined;
    if (isIn) statusLine.offer();
    else statusLine.offer(words.sign_in, () => void askToSignIn(other));
    if (isIn) document.dispatchEvent(new Event("assess:signed-in"));
    return isIn;
  });
  return asking;
}

/** Closes the dialog as if the password had been given. */
export const leaveSignIn = (): void => box.close(IN);

async function askPassword(): Promise<boolean> {
  problem.textContent = input.value = "";
  opened = performance.now();
  const answer = answerOf(box);
  input.focus();
  return (await answer) === IN;
}

box.addEventListener("keydown", (event) => {
  const isHasty = event.timeStamp - opened < HASTY;
  if (isHasty && event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.preventDefault();
});

box.querySelector("form")!.addEventListener("submit", async (event) => {
  event.preventDefault();
  const isIn = await signIn(words.login!, words.name!, input.value).catch(() => false);
  input.value = "";
  problem.textContent = isIn ? "" : words.wrong!;
  if (isIn) leaveSignIn();
  else input.focus();
});
