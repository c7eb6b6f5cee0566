// The judging desk: a decision is safe in this browser first, then the next item is on the screen, then the server
// has it. Without this script every item is a page with forms of its own.
import { find } from "../find";
import { painted } from "../frame";
import { ItemLoader, parse, read } from "./item_loader";
import { actionOf } from "./model/keymap";
import { Machine } from "./model/machine";
import { isDecision, randomHex, type Decision, type Message } from "./model/messages";
import type { Action } from "./model/reducer";
import { initialState, type Effect, type Item, type OutboxMode, type State } from "./model/state";
import { Conflicts } from "./sync/conflicts";
import { loadHistory, saveDraft, saveHistory } from "./sync/local_data";
import type { Outbox } from "./sync/outbox";
import { sleep, startOutbox, type Listener } from "./sync/sender";
import { address, fetchItems, UNDO, type Answer, type Nothing } from "./sync/server";
import type { Waiting } from "./sync/store";
import { Attention } from "./view/attention";
import { labelBar, listenToBar, showBar, showPlace } from "./view/bar";
import { askAbout } from "./view/conflict_dialogs";
import { deskSignIn } from "./view/desk_sign_in";
import { dialogQueue } from "./view/dialogs";
import { ItemElement } from "./view/item";
import { Keys } from "./view/keys";
import { assignment, deferred, firstPlace, listAddress, listPlaces, shownRulings, states, user, words } from "./view/page";
import { askWhy, reasons } from "./view/reason_dialog";
import { Screen } from "./view/screen";
import { statusLine } from "./view/status";
import { StatusReport } from "./view/status_report";

const root = document.documentElement;
const isOfThis = ({ message }: Waiting): boolean => message.assignment === assignment;

class Desk implements Listener {
  private readonly machine = new Machine(
    initialState({ assignment, states, deferred, place: firstPlace, list: listPlaces, reasons, keyPrefix: randomHex(12) }),
    () => this.attention.tick(), // before another candidate gets the attention
  );
  private readonly attention = new Attention(() => this.machine.state.current);
  private readonly dispatch = (action: Action): void => this.machine.dispatch(action);
  private readonly keys = new Keys((action, since) => this.dispatch({ type: "key", action, since }), () => this.labelKeys());
  private readonly report = new StatusReport(this.machine.state);
  private readonly screen: Screen;
  private readonly loader: ItemLoader;
  private readonly conflicts: Conflicts;

  /** From now on the desk hears keys and buttons. Before that forms go to the server as they do without scripts, and keys
   * do nothing: decisions could not be kept. */
  constructor(
    private readonly outbox: Outbox,
    waiting: readonly Waiting[],
  ) {
    const first = new ItemElement(firstPlace, find("#items .item"));
    this.screen = new Screen(first, this.machine.state, this.dispatch, (word) => this.keys.label(actionOf(word)));
    this.loader = new ItemLoader(this.machine, this.screen, (answer) => this.failed(answer));
    this.conflicts = new Conflicts({
      outbox,
      assignment,
      user,
      ask: (refused, current) => dialogQueue.ask(() => askAbout(refused, current, (word) => this.screen.card.label(word))),
      judgmentIn: (item, instance) => read(parse(item)).cards.find((card) => card.instance === instance)?.judgment,
      open: (message, { item, judgment }) => this.loader.open(item!, judgment, message),
      failed: (answer) => {
        this.failed(answer);
        if (answer.kind === "away") this.dispatch({ type: "say", word: "offline", manner: "bad" });
      },
    });
    this.machine.watch((state, before) => this.show(state, before));
    void this.start(first, waiting.filter(isOfThis));
  }

  private async start(first: ItemElement, waiting: readonly Waiting[]): Promise<void> {
    const isOnItsWay = waiting.some(({ message, problem }) => problem === undefined && message.place === firstPlace);
    const [messages, history] = [waiting.map(({ message }) => message), loadHistory(assignment)];
    const isUndoing = location.hash === UNDO;
    this.dispatch({ type: "start", item: read(first), waiting: messages, history, isOnItsWay, isUndoing });
    this.keys.listen();
    this.listen();
    await this.machine.until((state) => !state.isBusy && !state.isArriving && !state.goal);
    await this.catchUp();
    root.dataset.desk = "ready"; // for tests: nothing that was begun here is on its way any longer
  }

  private listen(): void {
    listenToBar(this.dispatch);
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

  private readonly signIn = (): Promise<boolean> => deskSignIn.ask(this.machine.state.other);

  private labelKeys(): void {
    this.screen.labelKeys();
    labelBar((action) => this.keys.label(action));
  }

  // --- what follows from an action

  private show(state: State, before: State): void {
    for (const effect of state.effects) if (effect.kind === "keep") void this.keep(effect.message); // before all else
    this.screen.show(state, before);
    showBar(state, before);
    this.report.show(state, before);
    for (const [place, item] of state.items) this.saveDrafts(item, before.items.get(place));
    for (const effect of state.effects) this.run(effect);
  }

  private saveDrafts({ cards }: Item, before?: Item): void {
    for (const [index, { instance, draft }] of cards.entries()) {
      if (!before || draft !== before.cards[index]!.draft) saveDraft(assignment, instance, draft);
    }
  }

  private run(effect: Effect): void {
    if (effect.kind === "keep") return;
    if (effect.kind === "fetch") void this.loader.fetch(effect.place, effect.wish);
    else if (effect.kind === "prefetch") void this.loader.prefetch(effect.places);
    else if (effect.kind === "retry") void sleep(effect.pause).then(() => this.retry(effect.wish));
    else if (effect.kind === "signIn") void this.signIn().then((isIn) => this.retry(effect.wish, !isIn));
    else if (effect.kind === "askWhy") void this.askWhy(effect);
    else if (effect.kind === "arrive") this.screen.arrive(effect.isNew);
    else if (effect.kind === "paint") void this.paint(effect.frame);
    else if (effect.kind === "painted") this.endArrival(effect.place, effect.since);
    else if (effect.kind === "closeAgain") void painted().then(() => this.dispatch({ type: "close" }));
    else if (effect.kind === "leave") location.assign(listAddress);
    else if (effect.kind === "perform") this.perform(effect.action);
    else this.screen[effect.kind]();
  }

  private async paint(frame: number): Promise<void> {
    await this.screen.item.typeset.then(painted);
    this.dispatch({ type: "painted", frame });
  }

  private endArrival(place: number, start: number): void {
    performance.measure("assess.painted", { start, detail: { place } });
    root.dataset.painted = String(place);
    setTimeout(() => {
      this.screen.cleanUp();
      showPlace(this.machine.state);
      this.dispatch({ type: "cleanedUp" });
      this.screen.drawNext();
    });
  }

  private perform(action: string): void {
    if (action === "comment") this.screen.writeComment();
    else if (action === "keys") this.keys.open();
    else if (action !== "thread") document.dispatchEvent(new CustomEvent("assess:action", { detail: action }));
    else if (!this.screen.openThread()) this.dispatch({ type: "say", word: "no_thread" });
  }

  private async askWhy({ word, comment, isNeeded }: Extract<Effect, { kind: "askWhy" }>): Promise<void> {
    const reason = await dialogQueue.ask(() => askWhy(word, comment, isNeeded));
    this.dispatch({ type: "why", reason });
  }

  private retry(wish: number, isLeft = false): void {
    this.dispatch({ type: "retry", wish, isLeft, isWriting: this.screen.isWriting });
  }

  // --- decisions and the server

  private async keep(message: Message): Promise<void> {
    const { key } = message;
    try {
      await this.outbox.add(isDecision(message) ? { ...message, ...this.measures(message) } : message);
      this.dispatch({ type: "stored", key });
    } catch (error) {
      this.dispatch({ type: "notStored", key, error: String(error) });
    }
  }

  /** What only the page knows of a decision. */
  private measures({ instance, wall_ms }: Decision): Partial<Decision> {
    const active = this.attention.take(instance);
    return { active_ms: Math.min(active, wall_ms), rulings: shownRulings() }; // the two clocks start a moment apart
  }

  readonly want = (message: Message): number | undefined => this.loader.want(message);
  readonly missed = (place: number, answer: Answer): void => this.loader.missed(place, answer);
  readonly signedOut = (name: string): void => this.dispatch({ type: "otherPerson", name });

  answered(message: Message, answer: Answer): void {
    if (answer.kind !== "kept") return;
    deskSignIn.leave(); // another window may have sent it
    if (message.assignment !== assignment) return;
    const { judgment, isClosed, item } = answer;
    if (judgment) this.dispatch({ type: "answered", message, judgment });
    if (isClosed) this.dispatch({ type: "close" });
    else if (item) void this.loader.receiveLater([item], []);
  }

  changed(all: readonly Waiting[], mode: OutboxMode, adding: number): void {
    const unkept = all.filter(({ problem }) => problem !== undefined);
    const unsettled = unkept.filter((waiting) => this.conflicts.isUnsettled(waiting)).length;
    const report = { waiting: all.length - unkept.length + adding, unkept: unkept.length, unsettled, mode };
    if (unsettled) this.conflicts.askAboutAll();
    this.dispatch({ type: "outbox", report });
    if (mode === "session") void this.signIn();
    else this.offerReview(unkept);
  }

  /** A button for messages that were not saved: here, else where they were decided. */
  private offerReview(unkept: readonly Waiting[]): void {
    const { message } = unkept.find(isOfThis) ?? unkept[0] ?? {};
    if (!message) statusLine.offer();
    else if (message.assignment === assignment) statusLine.offer(words.look, () => this.conflicts.askAgain());
    else statusLine.offer(words.look, () => location.assign(address(message.assignment, message.place)));
  }

  private failed(answer: Nothing): void {
    if (answer.kind === "gone") this.dispatch({ type: "close" });
    if (answer.kind !== "session") return;
    this.signedOut(answer.other);
    void this.signIn();
  }

  /** Another window or device may have gone on meanwhile. */
  private async catchUp(): Promise<void> {
    if (document.visibilityState !== "visible") return;
    void this.outbox.report();
    const { state: asked } = this.machine;
    const waiting = (await this.outbox.waiting()).filter(isOfThis).map(({ message }) => message);
    const answer = await fetchItems(assignment, [asked.place]);
    if (answer.kind !== "batch") return this.failed(answer);
    deskSignIn.leave(); // the assessor may have signed in elsewhere
    this.outbox.wake();
    const [html] = answer.items;
    this.dispatch({ type: "news", ...answer, item: html && read(parse(html)), waiting, asked });
  }
}

/** Starts the desk as soon as decisions can be kept. */
export async function startDesk(): Promise<void> {
  root.dataset.waiting = "0";
  await startOutbox(user, (outbox, waiting) => new Desk(outbox, waiting));
}
