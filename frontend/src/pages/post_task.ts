// Two questions about a written answer: one key for each choice. The key that gives the second of them a reply sends
// both; where both have one already, keys only choose and Enter sends, so that both can be changed.
import { askPassword, tellWhoIsIn } from "../desk/dialogs";
import { isOn } from "../desk/keys";
import { sleep } from "../desk/sender";
import { isSignedOut, other, sendForm, signIn } from "../desk/server";
import { offer, say } from "../desk/status";
import { find } from "../find";
import { painted } from "../frame";

/** So long, in milliseconds, a page that has just come hears no keys: they were meant for the one before. */
const EARLY = 300;

const form = find<HTMLFormElement>("#two-questions");
const words = form.dataset as Record<string, string>;
const choices = [...form.querySelectorAll<HTMLInputElement>("input[type=radio]")];
const button = form.querySelector("button")!;

let isReady = false;
/** On its way until the server has it, or refuses it: nothing changes what was chosen. */
let isSent = false;
let isLeaving = false;
/** Ends a pause before what was sent is tried again. */
let wake = (): void => undefined;

const isChanged = (): boolean => choices.some((one) => one.checked !== one.defaultChecked);

/** Not disabled: what was chosen stays plain to see. */
function freeze(isFrozen: boolean): void {
  isSent = isFrozen;
  for (const question of form.querySelectorAll("fieldset")) question.inert = isFrozen;
  button.ariaBusy = isFrozen ? "true" : null;
}

// --- saving

/** Where to go when it is kept, or when the page shows another answer by now; else why it is not kept. */
async function send(body: FormData): Promise<{ next: string; isKept: boolean } | "session" | "refused" | "away"> {
  try {
    const response = await sendForm(form.action, body);
    const { ok, status } = response;
    if (isSignedOut(response)) return "session";
    if ([400, 404, 413].includes(status)) return "refused";
    return ok || status === 422 ? { next: (await response.json()).next, isKept: ok } : "away";
  } catch {
    return "away"; // also where the answer was cut off: the same again is kept once
  }
}

/** Sends what is chosen until the server has it, or refuses it. */
async function save(): Promise<void> {
  const body = new FormData(form);
  freeze(true);
  for (let pause = 500; ; pause = Math.min(2 * pause, 10_000)) {
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const answer = await send(body);
    if (typeof answer === "object") return leave(answer.next, answer.isKept);
    say(words[answer]!, "bad");
    find("#status").scrollIntoView({ block: "nearest" });
    if (answer === "refused") return freeze(false);
    if (answer === "session") askToSignIn();
    await (answer === "session" ? woken : Promise.race([woken, sleep(pause)]));
  }
}

function leave(next: string, isKept: boolean): void {
  isLeaving = true;
  offer();
  say(isKept ? words.saved! : "", "good");
  location.assign(next);
}

let asking: Promise<void> | undefined;

/** In a box; where it is left, a button opens it again. */
function askToSignIn(): void {
  tellWhoIsIn(other);
  offer();
  asking ??= askPassword((password) => signIn(words.login!, words.name!, password), words.wrong!).then((isIn) => {
    asking = undefined;
    if (isIn) wake();
    else offer(words.sign_in, askToSignIn);
  });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (isSent) wake();
  else void save();
});
form.addEventListener("change", () => say(isChanged() ? words.unsaved! : ""));
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") wake(); // somebody may have signed in elsewhere
});
addEventListener("beforeunload", (event) => {
  if (isChanged() && !isLeaving) event.preventDefault();
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload(); // it was left when it was saved
});

// --- keys

function press(event: KeyboardEvent): void {
  if (isSent || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  const choice = choices.find((one) => one.dataset.key === event.key);
  const isEnter = event.key === "Enter" && !(event.target as Element).closest("a, button");
  if (!choice && !isEnter) return;
  event.preventDefault();
  if (!isReady) return say(words.early!);
  const wasComplete = form.checkValidity();
  choice?.click();
  choice?.focus();
  if (isEnter || (!wasComplete && form.checkValidity())) form.requestSubmit();
}

if (isOn()) {
  for (const key of form.querySelectorAll("kbd")) key.hidden = false;
  document.addEventListener("keydown", press);
}
void painted().then(() =>
  setTimeout(() => {
    isReady = true;
    document.documentElement.dataset.desk = "ready"; // for tests
  }, EARLY),
);
