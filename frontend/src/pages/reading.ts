// Reading at the desk: panes, text, highlighted words, formulas. The desk itself is judging.ts, which announces items
// that are ready and keys that it does not use.
import { find } from "../find";
import { refit } from "../fitting";
import { makeReachable, startFormulas } from "../reading/formulas";
import { Lights } from "../reading/lights";
import { canMark, Painter } from "../reading/marks";
import { marks, openWords, startPanel, topicTerms } from "../reading/panel";
import { startPanes } from "../reading/panes";

const desk = find("main.desk");
const darken = find<HTMLButtonElement>("#unlight");
const lights = new Lights(desk, (isLit) => (darken.hidden = !isLit));
const painter = canMark ? new Painter(marks, topicTerms) : undefined;
startFormulas(desk, lights);
startPanel(() => painter?.repaint());

function prepare(part: Element): void {
  makeReachable(part);
  painter?.paint(part);
  lights.light(part);
}

for (const part of desk.querySelectorAll(".pane.topic, .item")) prepare(part);
document.addEventListener("assess:mounted", (event) => prepare((event as CustomEvent<Element>).detail));
document.addEventListener("assess:command", (event) => {
  if ((event as CustomEvent<string>).detail === "marks" && painter) openWords();
});

desk.addEventListener("toggle", ({ target }) => refit(target as Element), true); // what is folded has no width
const query = document.querySelector<HTMLElement>("#query");
const leaveRoom = (): void => document.documentElement.style.setProperty("--query", `${query!.offsetHeight}px`);
if (query) new ResizeObserver(leaveRoom).observe(query); // what is scrolled to stops below it

startPanes(desk, find("#divider"), () => refit(desk));
find("[data-look=text]").addEventListener("input", () => refit(desk));

darken.addEventListener("click", () => lights.show([]));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !lights.isLit) return;
  if (!document.querySelector("dialog[open], :popover-open")) lights.show([]);
});
