// A session that ended, or made way for another person's: whose page it is signs in again, here.
import { askPassword, inTurn, leavePassword, tellWhoIsIn } from "./dialogs";
import { login, name, offer, say, words } from "./page";
import { other, signIn } from "./server";
import { at } from "./state";

let asking: Promise<boolean> | undefined;

/** Then what waits is sent; false where the assessor left the box, which the foot offers to open again. */
export function askToSignIn(): Promise<boolean> {
  tellWhoIsIn(other);
  asking ??= askOnce().finally(() => (asking = undefined));
  return asking;
}

/** The server has answered again, for somebody may have signed in elsewhere: what waits is sent, and the box not needed. */
export function signedIn(): void {
  leavePassword();
  at.outbox.wake();
}

async function askOnce(): Promise<boolean> {
  const isIn = await inTurn(() => askPassword((password) => signIn(login, name, password), words.wrong!));
  if (!isIn) offer(words.sign_in, () => void askToSignIn());
  else {
    offer();
    say("");
    at.outbox.wake();
  }
  return isIn;
}
