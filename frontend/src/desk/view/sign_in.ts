// A session that has ended, or is another person's: whose page it is signs in again, in a dialog.
import { signIn } from "../sync/server";
import { answerOf, dialog, dialogQueue } from "./dialogs";
import { statusLine } from "./status";

const IN = "in";
/** For so many milliseconds after the dialog has opened, keys were meant for the page. */
const HASTY = 500;

/** What the page says: the sign-in address, the person's name, and words. */
export interface SignInPage {
  login: string;
  name: string;
  wrong: string;
  sign_in: string;
}

export class SignIn {
  private readonly box = dialog("login");
  private asking: Promise<boolean> | undefined;

  constructor(private readonly page: SignInPage) {}

  /** Asks for the password; false if the dialog was left. Then a button beside the status line opens it again.
   * `other` has signed in instead, if anybody. */
  ask(other: string): Promise<boolean> {
    this.showWhy(other);
    this.asking ??= this.askOnce(other).finally(() => (this.asking = undefined));
    return this.asking;
  }

  /** Closes the dialog as if the password had been given. */
  leave(): void {
    this.box.close(IN);
  }

  private async askOnce(other: string): Promise<boolean> {
    const isIn = await dialogQueue.ask(() => this.askPassword());
    if (isIn) {
      statusLine.offer();
      document.dispatchEvent(new Event("assess:signed-in"));
    } else {
      statusLine.offer(this.page.sign_in, () => void this.ask(other));
    }
    return isIn;
  }

  private showWhy(other: string): void {
    for (const part of this.box.querySelectorAll<HTMLElement>("[data-ended]")) {
      part.textContent = (other ? part.dataset.other! : part.dataset.ended!).replaceAll("{}", other);
    }
  }

  private async askPassword(): Promise<boolean> {
    const { box, page } = this;
    const input = box.querySelector<HTMLInputElement>("input[type=password]")!;
    const problem = box.querySelector(".wrong")!;
    problem.textContent = input.value = "";
    const opened = performance.now();
    box.onkeydown = (event) => {
      const isHasty = event.timeStamp - opened < HASTY;
      if (isHasty && event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.preventDefault();
    };
    box.querySelector("form")!.onsubmit = async (event) => {
      event.preventDefault();
      const isIn = await signIn(page.login, page.name, input.value).catch(() => false);
      input.value = "";
      problem.textContent = isIn ? "" : page.wrong;
      if (isIn) this.leave();
      else input.focus();
    };
    const answer = answerOf(box);
    input.focus();
    return (await answer) === IN;
  }
}
