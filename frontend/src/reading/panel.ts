// The panel for highlighted words. Its other settings are in look.ts.
import { elementOf, find } from "../find";
import { recallJson, remember } from "../storage/remembered";
import { COLOURS, freeColour, parsed, terms, type Mark } from "./keywords";
import { keepKeys, openNear } from "./popover";

interface Kept {
  marks: Mark[];
  /** Whether the words of the topic's title are marked, too. */
  terms: boolean;
}

const box = find("#reading");
const opener = find("#reading-open");
const input = box.querySelector<HTMLInputElement>("input[type=text]")!;
const ofTopic = box.querySelector<HTMLInputElement>("input[type=checkbox]")!;
const name = `assess.marks.${document.documentElement.dataset.user}.${box.dataset.campaign}`;
const title = terms(titleWords());
let kept = read();
let changed = (): void => undefined;

export const marks = (): readonly Mark[] => kept.marks;
export const topicTerms = (): readonly string[] => (kept.terms ? title : []);

/** Opens the panel at the field for words. */
export function openWords(): void {
  openNear(box, opener);
  input.focus();
}

/** `repaint`: other words are to be marked. */
export function startPanel(repaint: () => void): void {
  changed = repaint;
  keepKeys(box);
  opener.addEventListener("click", () => openNear(box, opener));
  box.querySelector("form")!.addEventListener("submit", (event) => {
    event.preventDefault();
    const words = parsed(input.value);
    const colour = freeColour(kept.marks);
    if (!words.length || colour === undefined) return;
    input.value = "";
    keep({ ...kept, marks: [...kept.marks, { words, colour }] });
  });
  ofTopic.addEventListener("change", () => keep({ ...kept, terms: ofTopic.checked }));
  addEventListener("storage", ({ key }) => key === name && take(read()));
  show();
}

/** The words of the topic's title, without its formulas. */
function titleWords(): string {
  const heading = find(".pane.topic h1").cloneNode(true) as HTMLElement;
  for (const formula of heading.querySelectorAll(".math-container")) formula.replaceWith(" ");
  return heading.textContent!;
}

/** A function, which is there before the first line of the module runs. */
function isKept({ marks, terms }: Kept): boolean {
  return typeof terms === "boolean" && marks.every(({ words, colour }) => Array.isArray(words) && typeof colour === "number");
}

function read(): Kept {
  return recallJson(name, { marks: [], terms: false }, isKept);
}

function keep(wanted: Kept): void {
  remember(name, JSON.stringify(wanted));
  take(wanted);
}

function take(wanted: Kept): void {
  kept = wanted;
  show();
  changed();
}

function show(): void {
  box.querySelector("ul")!.replaceChildren(...kept.marks.map(chip));
  ofTopic.checked = kept.terms;
  input.readOnly = kept.marks.length >= COLOURS; // and keeps the focus
  box.querySelector<HTMLElement>("[data-full]")!.hidden = !input.readOnly;
}

/** A click removes the words. */
function chip(mark: Mark): HTMLElement {
  const item = elementOf("li");
  const button = elementOf("button", `chip mark-${mark.colour}`, mark.words.join(", "));
  button.type = "button";
  button.title = box.dataset.remove!;
  button.addEventListener("click", () => {
    keep({ ...kept, marks: kept.marks.filter((other) => other !== mark) });
    input.focus();
  });
  item.append(button);
  return item;
}
