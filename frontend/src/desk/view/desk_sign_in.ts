// Signs the assessor in again at the desk.
import { desk, words } from "./page";
import { SignIn } from "./sign_in";

export const deskSignIn = new SignIn({
  login: desk.dataset.login!,
  name: desk.dataset.name!,
  wrong: words.wrong!,
  sign_in: words.sign_in!,
});
