// Beside the items of the desk: rulings and questions, progress, and when to rest. News are fetched at most once a
// minute, when another item comes on the screen.
import { RestTimer } from "./rest_timer";
import { ask, otherPerson, sendForm } from "../desk/sync/server";
import { AttentionClock } from "../desk/view/attention";
import { words } from "../desk/view/page";
import { currentControls, SidebarBox } from "../desk/view/sidebar_box";
import { askToSignIn } from "../desk/view/sign_in";
import { find } from "../find";
import { recall, remember } from "../storage/remembered";

const FRESH_MS = 60_000;

const beside = find("#beside");
const rulings = find("#rulings");
const ruled = find("#ruled");
const own = find("#own");
const rest = find("#rest");
const asking = find<HTMLDetailsElement>("#ask");
const form = asking.querySelector("form")!;
const text = form.querySelector("textarea")!;
const outcome = find("#asked");

let place = Number(find("#desk").dataset.place);
let asked = performance.now();

// --- what the server knows

/** If the session has ended, after the password. */
async function send(address: string, body: FormData): Promise<Response | undefined> {
  const response = await sendForm(address, body).catch(() => undefined);
  const other = response && otherPerson(response);
  return other !== undefined && (await askToSignIn(other)) ? send(address, body) : response;
}

async function refresh(): Promise<void> {
  asked = performance.now();
  const response = await ask(`${beside.dataset.news}?place=${place}`).catch(() => undefined);
  if (!response?.ok) return; // the outbox reports what is wrong with the network or the session
  const parts = (await response.json()) as { rulings: string; ruled: string; own: string; version?: number };
  if (!rulings.contains(document.activeElement)) {
    rulings.innerHTML = parts.rulings;
    if (ruled.innerHTML.trim() !== parts.ruled.trim()) ruled.innerHTML = parts.ruled; // else it would be announced again
    if (parts.version !== undefined) beside.dataset.rulings = String(parts.version);
  }
  own.innerHTML = parts.own;
  showToday();
  follow();
}

// --- with the item on the screen

/** The minutes of today stand in the box of *Reading*. */
function showToday(): void {
  const today = own.querySelector(".today");
  if (today) find("#today").replaceChildren(today);
}

/** Shows the questions of this place, asks a new one here, and counts what is left. */
function follow(): void {
  for (const asked of rulings.querySelectorAll<HTMLElement>(".asked")) asked.hidden = asked.dataset.place !== String(place);
  for (const input of rulings.querySelectorAll<HTMLInputElement>("input[name=place]")) input.value = String(place);
  form.action = form.action.replace(/\d+\/ask\/$/, `${place}/ask/`);
  const meter = find<HTMLProgressElement>(".desk-bar progress");
  const left = document.querySelector("#left");
  if (left) left.textContent = String(meter.max - meter.value);
  const rest = own.querySelector("span");
  if (rest) rest.hidden = meter.value === meter.max;
}

document.addEventListener("assess:shown", (event) => {
  const now = (event as CustomEvent<number>).detail;
  if (now !== place) {
    if (text.value === "") outcome.textContent = ""; // it was about the item before
    for (const box of [question, guidelines]) box.forget();
  }
  place = now;
  follow();
  if (performance.now() - asked >= FRESH_MS) void refresh();
});

// --- boxes that keys open

const question = new SidebarBox(asking, text);
asking.addEventListener("toggle", () => {
  if (asking.open && document.activeElement !== text) question.show();
});

const GUIDE = "assess.guide";
const guide = find<HTMLDetailsElement>("#guide");
const wantedGuide = recall(GUIDE);
if (wantedGuide !== undefined || matchMedia("(max-width: 50rem)").matches) guide.open = wantedGuide === "open";
const guidelines = new SidebarBox(guide);
const keepGuide = (isOpen: boolean): void => remember(GUIDE, isOpen ? "open" : "closed");
guidelines.summary.addEventListener("click", () => keepGuide(!guide.open)); // the click is about to toggle it

/** Opens the guidelines, or closes them if they are in sight. */
function turnGuide(): void {
  if (guidelines.isRead || !guidelines.bring()) guidelines.leave();
  keepGuide(guide.open);
}

document.addEventListener("assess:command", (event) => {
  const { detail } = event as CustomEvent<string>;
  if (detail === "ask") question.bring();
  else if (detail === "guide") turnGuide();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  text.value = text.value.trim();
  if (!form.reportValidity()) return;
  const body = new FormData(form);
  body.set("instance", currentControls().querySelector<HTMLInputElement>("input[name=instance]")!.value);
  const from = place;
  const response = await send(form.action, body);
  if (!response?.ok) {
    outcome.textContent = response?.status === 404 ? words.closed! : outcome.dataset.failed!;
    return;
  }
  outcome.textContent = place === from ? outcome.dataset.asked! : "";
  form.reset();
  await refresh();
});

text.addEventListener("input", () => (outcome.textContent = ""));

rulings.addEventListener("submit", async (event) => {
  event.preventDefault();
  const seen = event.target as HTMLFormElement;
  const response = await send(seen.action, new FormData(seen));
  if (!response?.ok) return;
  question.summary.focus();
  await refresh();
});

/** To the first new one, without an entry in the history of the browser. */
ruled.addEventListener("click", (event) => {
  const link = (event.target as Element).closest("a");
  if (!link) return;
  event.preventDefault();
  const first = find(link.hash);
  first.scrollIntoView({ block: "nearest" });
  first.focus({ preventScroll: true });
});

// --- rest

showToday();

const restTimer = new RestTimer();
new AttentionClock((milliseconds) => {
  if (restTimer.add(milliseconds)) rest.hidden = false;
});
rest.querySelector("button")!.addEventListener("click", () => (rest.hidden = true));

// --- the time zone by which the server counts today

const zone = `zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
if (!document.cookie.split("; ").includes(zone)) {
  document.cookie = `${zone}; path=/judge/; max-age=31536000; samesite=lax`;
  void refresh();
}
