// The judging desk: the current card, keys, time and what must not get lost. Without this file the page is a
// plain form.
import { isOn, setOn, startKeys } from "../desk/keys";
import { Clock } from "../desk/clock";
import { cardsOf, type Card } from "../desk/cards";

const form = document.querySelector<HTMLFormElement>("form#desk")!;
const cards = cardsOf(form);
let current = cards.find((card) => !card.isDecided) ?? cards[0]!;
let dirty = false;

const clock = new Clock((milliseconds) => current.addTime(milliseconds));

function makeCurrent(card: Card): void {
  clock.tick();
  current = card;
  for (const one of cards) one.element.classList.toggle("current", one === card && cards.length > 1);
}

function submit(go = ""): void {
  const where = form.querySelector<HTMLInputElement>("input[name=go]")!;
  where.value = go;
  form.requestSubmit();
  where.value = ""; // where the browser held the form back for a comment, the button still means the next open place
}

/** Gives the current card its decision and goes on: to the next undecided card, or, with the last one, saves. */
function decide(word: string): void {
  current.choose(word);
  const open = cards.find((card) => !card.isDecided);
  if (!open) return submit();
  makeCurrent(open);
  open.element.focus({ preventScroll: true });
  open.element.scrollIntoView({ block: "start" });
}

/** Every way on from here keeps what has been decided on this page. */
function move(link: HTMLAnchorElement): void {
  if (dirty) submit(link.dataset.go);
  else location.assign(link.href);
}

function press(key: string): boolean {
  const word = current.has(key) ? key : current.outcomeWithKey(key);
  if (word && current.waitsForComment(word)) current.chooseAndComment(word);
  else if (word) decide(word);
  else if (key === "c") current.comment.focus();
  else return follow(key);
  return true;
}

function follow(key: string): boolean {
  const go = { n: "next", ArrowRight: "next", p: "previous", ArrowLeft: "previous" }[key];
  const link = go && document.querySelector<HTMLAnchorElement>(`a[data-go=${go}]`);
  if (link) move(link);
  return Boolean(link);
}

form.addEventListener("input", () => {
  dirty = true;
  document.querySelector(".saved")!.textContent = "";
});
form.addEventListener("submit", () => {
  dirty = false;
  clock.tick();
});
window.addEventListener("beforeunload", (event) => dirty && event.preventDefault());
for (const card of cards) {
  for (const kind of ["focusin", "pointerdown"]) card.element.addEventListener(kind, () => makeCurrent(card));
}
for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-go]")) {
  link.addEventListener("click", (event) => {
    if (!dirty || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    move(link);
  });
}

const guide = document.querySelector<HTMLDetailsElement>("#guide")!;
const wanted = localStorage.getItem("assess.guide");
if (wanted !== null || matchMedia("(max-width: 50rem)").matches) guide.open = wanted === "open";
guide.querySelector("summary")!.addEventListener("click", () => {
  localStorage.setItem("assess.guide", guide.open ? "closed" : "open"); // the click is about to toggle it
});

makeCurrent(current);
startKeys(press, () => makeCurrent(current), isOn(), setOn);
