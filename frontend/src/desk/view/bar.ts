// The bar and the foot of the desk: where the assessor is, how much is judged, what can be done.
import { elementOf, find } from "../../find";
import { currentItem, judgedState } from "../model/changes";
import { judgedCount, neighbour, positionInList } from "../model/places";
import { recentDecisions } from "../model/recent";
import type { Action } from "../model/reducer";
import type { State } from "../model/state";
import { decisionsMade } from "../sync/local_data";
import { address } from "../sync/server";
import { assignment, listPlaces, scale, states, words } from "./page";

const DIRECTIONS = [["prev", -1], ["next", 1]] as const;

/** For so many judgments the definitions stand below the names of the grades. */
const LEARNING = 20;
/** More grades leave no room for their definitions. */
const MOST_EXPLAINED = 5;

const root = document.documentElement;
const undo = find<HTMLButtonElement>("#undo");
const deferButtons = (): NodeListOf<HTMLButtonElement> => document.querySelectorAll(".item.current .defer");
const recent = find("#recent");
const note = find("#lacking");
/** Of the filtered list, for the addresses of its items. */
const query = listPlaces ? location.search : "";
const linkTo = (rel: string): HTMLAnchorElement => find(`.places [data-rel=${rel}]`);

function showMeanings(judged: number): void {
  root.classList.toggle("learning", scale.grades.length <= MOST_EXPLAINED && Math.max(judged, decisionsMade()) < LEARNING);
}

showMeanings(judgedCount({ states })); // before anything is scrolled to above the bar

export function listenToBar(dispatch: (action: Action) => void): void {
  undo.addEventListener("click", () => dispatch({ type: "press", choice: "undo" }));
  find("#defer").addEventListener("submit", (event) => {
    event.preventDefault();
    dispatch({ type: "key", command: "defer", since: event.timeStamp }); // a double click defers once
  });
  recent.addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    dispatch({ type: "go", place: Number(link.dataset.place) });
  });
  for (const [rel, by] of DIRECTIONS) {
    linkTo(rel).addEventListener("click", (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      dispatch({ type: "step", by });
    });
  }
}

/** For styles and tests. */
export function showWork({ isBusy, outbox }: State, before: State): void {
  if (isBusy !== before.isBusy) root.toggleAttribute("data-busy", isBusy);
  if (outbox !== before.outbox) root.dataset.waiting = String(outbox.waiting + outbox.unsettled);
}

export function showBar(state: State, before: State): void {
  const { isClosed, goal } = state;
  if (goal !== before.goal) {
    const text = goal?.wait === "late" ? words.lacking!.replace("{}", String(goal.place)) : "";
    if (note.textContent !== text) note.textContent = text;
  }
  if (state.place !== before.place) find("#place").textContent = String(state.place);
  if (isClosed) {
    undo.disabled = true;
    find("#home").hidden = false;
  }
  if (state.places !== before.places || state.history !== before.history) showProgress(state);
  if (state.known !== before.known || state.history !== before.history) showRecent(state);
}

/** The last decisions, each a link back. */
function showRecent(state: State): void {
  const items = recentDecisions(state).map(({ place, word }) => {
    const [item, [name, style]] = [elementOf("li"), state.page.scale.names[word] ?? [word, ""]];
    const link = elementOf("a", `badge ${style}`, String(place));
    link.append(elementOf("span", "", `: ${name}`));
    link.href = address(assignment, place) + query;
    link.dataset.place = String(place);
    item.append(link);
    return item;
  });
  recent.hidden = items.length === 0;
  recent.replaceChildren(...items);
}

/** The place that the address, the title and the links are about. */
export function showPlace(state: State): void {
  const { place } = state;
  document.title = document.title.replace(/, \d+\//, `, ${place}/`);
  history.replaceState(null, "", address(assignment, place) + query);
  for (const [rel, by] of DIRECTIONS) {
    const to = neighbour(state, place, by);
    linkTo(rel).classList.toggle("quiet", to === undefined);
    linkTo(rel).href = to === undefined ? "" : address(assignment, to) + query;
  }
  const position = document.querySelector("#walked");
  if (position) position.textContent = String(positionInList(state));
  showProgress(state);
}

function showProgress(state: State): void {
  const judged = judgedCount(state.places);
  find("#judged").textContent = String(judged);
  find<HTMLProgressElement>(".desk-bar progress").value = judged;
  const isJudged = judgedState(currentItem(state)) !== undefined;
  for (const button of deferButtons()) {
    button.firstChild!.textContent = `${state.places.deferred.has(state.place) ? words.undefer : words.defer} `;
    button.hidden = isJudged;
  }
  undo.hidden = state.history.length === 0;
  showMeanings(judged);
  document.dispatchEvent(new CustomEvent("assess:shown", { detail: state.place }));
}
