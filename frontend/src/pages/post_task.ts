// Two questions about a written answer: one key for each choice. The key that answers the second of them sends both; if
// both have a reply already, keys only choose and Enter sends, so that both can be changed.
import { areKeysOn } from "../desk/sync/local_data";
import { otherPerson, pauses, sendForm, sleep } from "../desk/sync/server";
import { askToSignIn } from "../desk/view/sign_in";
import { statusLine } from "../desk/view/status";
import { find } from "../find";
import { painted } from "../frame";

/** So long, in milliseconds, a new page hears no keys: they were meant for the one before. */
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

const isChanged = (): boolean => choices.some((choice) => choice.checked !== choice.defaultChecked);

/** Not disabled: what was chosen stays plain to see. */
function freeze(isFrozen: boolean): void {
  isSent = isFrozen;
  for (const question of form.querySelectorAll("fieldset")) question.inert = isFrozen;
  button.ariaBusy = isFrozen ? "true" : null;
}

// --- saving

/** Leaves the page when it is saved, or if the page is about another answer by now; else says why it is not saved. */
async function send(body: FormData): Promise<"left" | "session" | "refused" | "away"> {
  try {
    const response = await sendForm(form.action, body);
    const { ok, status } = response;
    const other = otherPerson(response);
    if (other !== undefined) void askToSignIn(other);
    if (other !== undefined) return "session";
    if ([400, 404, 413].includes(status)) return "refused";
    if (!ok && status !== 422) return "away";
    const { next } = await response.json();
    isLeaving = true;
    statusLine.say(ok ? words.saved! : "", "good");
    location.assign(next);
    return "left";
  } catch {
    return "away"; // also if the answer was cut off: the same again is kept once
  }
}

/** Sends what is chosen until the server has it, or refuses it. */
async function save(): Promise<void> {
  const body = new FormData(form);
  freeze(true);
  for (const pause of pauses()) {
    const woken = new Promise<void>((resolve) => (wake = resolve));
    statusLine.offer();
    const result = await send(body);
    if (result === "left") return;
    statusLine.say(words[result]!, "bad");
    find("#status").scrollIntoView({ block: "nearest" });
    if (result === "refused") return freeze(false);
    await (result === "session" ? woken : Promise.race([woken, sleep(pause)]));
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (isSent) wake();
  else void save();
});
document.addEventListener("assess:signed-in", () => wake());
form.addEventListener("change", () => statusLine.say(isChanged() ? words.unsaved! : ""));
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
  const choice = choices.find((choice) => choice.dataset.key === event.key);
  const isEnter = event.key === "Enter" && !(event.target as Element).closest("a, button");
  if (!choice && !isEnter) return;
  event.preventDefault();
  if (!isReady) return statusLine.say(words.early!);
  const wasComplete = form.checkValidity();
  choice?.click();
  choice?.focus();
  if (isEnter || (!wasComplete && form.checkValidity())) form.requestSubmit();
}

if (areKeysOn()) {
  for (const key of form.querySelectorAll("kbd")) key.hidden = false;
  document.addEventListener("keydown", press);
}
void painted().then(() =>
  setTimeout(() => {
    isReady = true;
    document.documentElement.dataset.desk = "ready"; // for tests
  }, EARLY),
);
