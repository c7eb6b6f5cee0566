// The judging desk: a decision is safe in this browser first, then the next item is on the screen, then the server
// has it. Without this script every item is a page with forms of its own.
import { find } from "../find";
import { painted } from "../frame";
import { resumeTypesetting } from "../math";
import { unsavedPassage } from "./model/changes";
import { Machine } from "./model/machine";
import { isDecision, type Message } from "./model/messages";
import type { Action } from "./model/reducer";
import { Draft, type Effect, type OutboxMode, type State } from "./model/state";
import { countDecisions, loadHistory, saveDraft, saveHistory } from "./sync/local_data";
import type { Outbox } from "./sync/outbox";
import { startOutbox, type Listener } from "./sync/sender";
import { address, fetchItems, UNDO, type SendResult } from "./sync/server";
import { BrowserStore, type Waiting } from "./sync/store";
import { Attention } from "./view/attention";
import { listenToBar, showBar, showPlace, showWork } from "./view/bar";
import { Conflicts } from "./view/conflicts";
import { inTurn } from "./view/dialogs";
import { ItemElement } from "./view/item";
import { ItemLoader } from "./view/item_loader";
import { Keys } from "./view/keys";
import { offerMark } from "./view/passage";
import { ahead, assignment, deferred, early, firstPlace, isSettling, listAddress, listPlaces, shownRulings } from "./view/page";
import { scale, states, stored, user, words } from "./view/page";
import { askWhy, reasons } from "./view/reason_dialog";
import { Screen } from "./view/screen";
import { leaveSignIn } from "./view/sign_in";
import { statusLine } from "./view/status";
import { StatusReport } from "./view/status_report";

const root = document.documentElement;
/** For so many milliseconds a note about an ignored key stays. */
const CALM = 3000;
const isOfThis = ({ message }: Waiting): boolean => message.assignment === assignment;

class Desk implements Listener {
  private readonly machine = new Machine(
    new Draft({ assignment, states, deferred, place: firstPlace, list: listPlaces, scale, reasons, early, ahead, stored, isSettling }),
    () => this.attention.tick(), // before another document gets the attention
  );
  private readonly attention = new Attention(() => this.machine.state.current);
  private readonly dispatch = (action: Action): void => this.machine.dispatch(action);
  private readonly keys = new Keys(scale, (command, since) => this.dispatch({ type: "key", command, since }));
  private readonly report = new StatusReport(this.machine.state);
  /** The state that the bar and the foot show. */
  private told = this.machine.state;
  private calming = 0;
  private readonly screen: Screen;
  private readonly loader: ItemLoader;
  private readonly conflicts: Conflicts;

  /** From now on the desk hears keys and buttons. Before that, forms go to the server as they do without scripts, and
   * keys do nothing: decisions could not be kept. */
  constructor(
    private readonly outbox: Outbox,
    waiting: readonly Waiting[],
  ) {
    const first = new ItemElement(firstPlace, find("#items .item"));
    this.screen = new Screen(first, this.machine.state, this.dispatch);
    this.loader = new ItemLoader(this.machine, this.screen);
    this.conflicts = new Conflicts(outbox, this.screen, this.loader);
    this.machine.watch((state, before) => this.show(state, before));
    void this.start(first, waiting.filter(isOfThis));
  }

  private async start(first: ItemElement, waiting: readonly Waiting[]): Promise<void> {
    const isOnItsWay = waiting.some(({ message, problem }) => problem === undefined && message.place === firstPlace);
    const [messages, history] = [waiting.map(({ message }) => message), loadHistory(assignment)];
    const isUndoing = location.hash === UNDO;
    this.dispatch({ type: "start", item: first.read(), waiting: messages, history, isOnItsWay, isUndoing });
    this.keys.listen();
    this.listen();
    await this.machine.until((state) => !state.isBusy && state.arrivingSince === undefined && !state.goal);
    await this.catchUp();
    root.dataset.desk = "ready"; // for tests: nothing that was begun here is on its way any longer
  }

  private listen(): void {
    listenToBar(this.dispatch);
    offerMark(() => this.screen.card.selected, (text) => this.dispatch({ type: "mark", text }));
    addEventListener("beforeunload", (event) => {
      const { waiting, unsettled } = this.machine.state.outbox;
      if (waiting + unsettled) event.preventDefault();
    });
    addEventListener("pagehide", () => saveHistory(assignment, this.machine.state.history));
    document.addEventListener("visibilitychange", () => void this.catchUp());
    document.addEventListener("assess:signed-in", () => {
      this.dispatch({ type: "say", word: "" });
      this.outbox.wake();
    });
  }

  // --- what follows from an action

  private show(state: State, before: State): void {
    const decided = [...state.storing].filter(([key]) => !before.storing.has(key));
    if (decided.length) {
      void this.store(decided.map(([, { message }]) => message)); // first
      countDecisions(decided.length);
    }
    this.screen.show(state, before);
    if (state.stock !== before.stock) this.loader.keep(state.stock);
    showWork(state, before);
    if (state.arrivingSince === undefined) this.tell(state); // the next item is painted first
    this.saveDrafts(state, before);
    for (const effect of state.effects) this.run(effect);
  }

  private tell(state: State): void {
    showBar(state, this.told);
    this.report.show(state, this.told);
    this.told = state;
  }

  private saveDrafts(state: State, before: State): void {
    for (const [place, { cards }] of state.items) {
      for (const [index, card] of cards.entries()) {
        const [{ instance, draft }, old] = [card, before.items.get(place)?.cards[index]];
        if (draft !== old?.draft) saveDraft("draft", assignment, instance, draft);
        const passage = unsavedPassage(card);
        if (passage !== (old && unsavedPassage(old))) saveDraft("passage", assignment, instance, passage);
      }
    }
  }

  private run(effect: Effect): void {
    if (effect.kind === "fetch") void this.loader.fetch(effect.place, effect.wish);
    else if (effect.kind === "prefetch") void this.loader.prefetch(effect.places);
    else if (effect.kind === "stock") void this.loader.stockUp(effect.places);
    else if (effect.kind === "mount") this.loader.mount(effect.places);
    else if (effect.kind === "askWhy") {
      const { word, comment, isNeeded } = effect;
      void inTurn(() => askWhy(word, comment, isNeeded)).then((reason) => this.dispatch({ type: "why", reason }));
    } else if (effect.kind === "arrive") this.screen.arrive(effect.isNew);
    else if (effect.kind === "paint") void this.paint();
    else if (effect.kind === "painted") this.endArrival(effect.since);
    else if (effect.kind === "leave") location.assign(listAddress);
    else if (effect.kind === "calm") this.calmSoon();
    else if (effect.kind === "perform") this.perform(effect.command);
    else if (effect.kind === "reveal") this.screen.card.reveal();
    else this.screen[effect.kind]();
  }

  private calmSoon(): void {
    clearTimeout(this.calming);
    this.calming = setTimeout(() => this.dispatch({ type: "calmed" }), CALM);
  }

  private async paint(): Promise<void> {
    await this.screen.setInSight();
    await painted();
    this.dispatch({ type: "painted" });
  }

  private endArrival(start: number): void {
    const { place } = this.machine.state;
    performance.measure("assess.painted", { start, detail: { place } });
    root.dataset.painted = String(place);
    setTimeout(() => {
      this.screen.cleanUp();
      showPlace(this.machine.state);
      this.dispatch({ type: "cleanedUp" });
      this.screen.drawNext();
      resumeTypesetting();
    });
  }

  private perform(command: string): void {
    if (command === "comment") this.screen.writeComment();
    else if (command === "keys") this.keys.open();
    else if (command === "formula") this.goToFormula();
    else if (command === "passage") this.dispatch({ type: "mark", text: this.screen.card.selected });
    else if (command !== "thread") document.dispatchEvent(new CustomEvent("assess:command", { detail: command }));
    else if (!this.screen.openThread()) this.dispatch({ type: "say", word: "no_thread" });
  }

  private goToFormula(): void {
    if (!this.screen.card.turnToFormula()) this.dispatch({ type: "say", word: "no_formula" });
  }

  // --- decisions and the server

  /** What one key decides is stored as a whole, or taken back as a whole. */
  private async store(messages: readonly Message[]): Promise<void> {
    try {
      await this.outbox.add(...messages.map((message) => this.timed(message)));
      for (const { key } of messages) this.dispatch({ type: "stored", key });
    } catch (error) {
      for (const { key } of messages) this.dispatch({ type: "notStored", key, error: String(error) });
    }
  }

  private timed(message: Message): Message {
    if (!isDecision(message)) return message;
    const active = this.attention.take(message.instance);
    return { ...message, active_ms: Math.min(active, message.wall_ms), rulings: shownRulings() }; // two clocks
  }

  readonly want = (message: Message): number | undefined => this.loader.want(message);
  readonly sent = (answer: SendResult, want?: number): void => this.loader.sent(answer, want);

  answered(message: Message, answer: SendResult): void {
    if (answer.kind !== "kept") return;
    leaveSignIn(); // another window may have sent it
    if (message.assignment !== assignment) return;
    const { judgment, isClosed, item } = answer;
    if (judgment) this.dispatch({ type: "answered", message, judgment });
    if (isClosed) this.dispatch({ type: "close" });
    else if (item) void this.loader.receiveLater([item], []);
  }

  changed(all: readonly Waiting[], mode: OutboxMode): void {
    const unkept = all.filter(({ problem }) => problem !== undefined);
    const unsettled = unkept.filter((waiting) => this.conflicts.isUnsettled(waiting)).length;
    const report = { waiting: all.length - unkept.length, unkept: unkept.length, unsettled, mode };
    if (unsettled) this.conflicts.askAboutAll();
    this.dispatch({ type: "outbox", report });
    if (mode === "session") void this.loader.signIn();
    else this.offerReview(unkept);
  }

  /** A button for messages that were not saved: here, else where they were decided. */
  private offerReview(unkept: readonly Waiting[]): void {
    const { message } = unkept.find(isOfThis) ?? unkept[0] ?? {};
    if (!message) statusLine.offer();
    else if (message.assignment === assignment) statusLine.offer(words.look, () => this.conflicts.askAgain());
    else statusLine.offer(words.look, () => location.assign(address(message.assignment, message.place)));
  }

  /** Another window or device may have gone on meanwhile. */
  private async catchUp(): Promise<void> {
    if (document.visibilityState !== "visible") return;
    void this.outbox.report();
    const { place, known, places } = this.machine.state;
    const waiting = (await this.outbox.waiting()).filter(isOfThis).map(({ message }) => message);
    const answer = await fetchItems(assignment, [place]);
    if (answer.kind !== "batch") return this.loader.failed(answer);
    leaveSignIn(); // the assessor may have signed in elsewhere
    this.outbox.wake();
    const { state } = this.machine;
    const isOld = state.known !== known || state.places.deferred !== places.deferred; // something was decided meanwhile
    if (isOld) return this.catchUp();
    const [html] = answer.items;
    this.dispatch({ type: "news", ...answer, item: html && ItemElement.from(html).read(), waiting });
  }
}

/** Starts the desk as soon as decisions can be kept. In a browser that keeps nothing its forms go to the server as they do
 * without scripts, and it says so. */
export async function startDesk(): Promise<void> {
  root.dataset.waiting = "0";
  const store = await BrowserStore.of(user).catch(console.warn);
  if (!store) return statusLine.say(words.no_store!, "waiting");
  await startOutbox(user, store, (outbox, waiting) => new Desk(outbox, waiting));
}
