// A session that ended: the same person signs in again, here.
import { askPassword, inTurn } from "./dialogs";
import { login, name, offer, say, words } from "./page";
import { signIn } from "./server";
import { at } from "./state";

let asking: Promise<boolean> | undefined;

/** Then what waits is sent; false where the assessor left the box, which the foot offers to open again. */
export function askToSignIn(): Promise<boolean> {
  asking ??= askOnce().finally(() => (asking = undefined));
  return asking;
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
