// A desk without a page, for tests: what the page would do is done at once, or when a test says so.
import { currentCard, currentItem } from "./changes";
import { isDecision, type Decision, type Message } from "./messages";
import { commandOf } from "./keymap";
import { reduce, type Action } from "./reducer";
import type { Scale } from "./scale";
import { Draft, type Card, type Effect, type History, type Item, type State } from "./state";

export const SCALE: Scale = {
  grades: [["3", ""], ["2", ""], ["1", ""], ["0", ""]],
  outcomes: [["do_not_know", "needed"], ["system_failure", "needed"], ["not_matching", "asked"]],
  names: { "3": ["High", "grade step-10"], "1": ["Low", "grade step-3"] },
  hasThreads: true,
};

export const REASONS = ["I do not understand the question", "The question is unclear", "A formula is unreadable"];

const WORDS = ["3", "2", "1", "0", "do_not_know", "system_failure"];

/** A card that the server sends. */
export const card = (instance: string, word = "", comment = ""): Card => ({
  instance,
  post: `post-${instance}`,
  contentHash: `hash-${instance}`,
  words: WORDS,
  judgment: { word, comment, key: word && `server-${instance}` },
  text: comment,
  passage: "",
  filledIn: "",
});

/** The item of a place, with so many posts; several offer one outcome more. */
export function item(place: number, posts = 1, word = "", comment = ""): Item {
  const cards = Array.from({ length: posts }, (_, index) => card(`${place}${index + 1}`, word, comment));
  return { place, shownAt: 0, cards: posts > 1 ? cards.map((post) => ({ ...post, words: [...WORDS, "not_matching"] })) : cards };
}

interface Options {
  posts?: number;
  place?: number;
  list?: number[];
  history?: History;
  deferred?: number[];
  /** The places whose items the server cannot send now. */
  missing?: number[];
  isSettling?: boolean;
  /** The items that are not as the server would send them. */
  items?: Item[];
}

export class TestDesk {
  state: State;
  readonly effects: Effect[] = [];
  readonly messages: Message[] = [];
  /** Whether frames are painted, and messages stored, at once. */
  isQuick = true;
  private now = 1000;

  constructor(
    states: string,
    private readonly options: Options = {},
  ) {
    const { place = 1, list, deferred = [], history = [], missing = [], items = [], isSettling = false } = options;
    this.state = new Draft({ assignment: "7", states, deferred, place, list, scale: SCALE, reasons: REASONS, early: 300, ahead: 6, stored: 0, isSettling });
    const ready = (at: number): Item => items.find((other) => other.place === at) ?? this.served(at, states[at - 1]!);
    this.do({ type: "start", item: ready(place), waiting: [], history, isOnItsWay: false, isUndoing: false });
    const others = [...states].map((_, index) => index + 1).filter((at) => at !== place && !missing.includes(at));
    this.do({ type: "received", items: others.map(ready), expected: [] });
    this.do({ type: "seen" });
    this.effects.length = this.messages.length = 0;
  }

  private served(place: number, state: string): Item {
    return item(place, this.options.posts, state === "j" ? "3" : state === "u" ? "do_not_know" : "");
  }

  /** An action; what it has the page do is done, too, unless the test does it. */
  do(action: Action, after = 100): this {
    this.now += after;
    const before = this.state;
    this.state = reduce(before, { ...action, now: this.now });
    const { effects, storing } = this.state;
    this.effects.push(...effects);
    for (const [key, { message }] of storing) if (!before.storing.has(key)) this.messages.push(message);
    return this.isQuick ? this.catchUp() : this;
  }

  /** Paints and stores what a slow page has left. */
  catchUp(): this {
    this.isQuick = true;
    const [key] = this.state.storing.keys();
    if (this.state.paints) return this.do({ type: "painted" }, 0);
    return key === undefined ? this : this.do({ type: "stored", key }, 0);
  }

  /** The outbox has sent everything. */
  sent(): this {
    return this.do({ type: "outbox", report: { waiting: 0, unkept: 0, unsettled: 0, mode: "idle" } });
  }

  /** Keys, `after` so many milliseconds each. */
  press(...commands: string[]): this {
    for (const command of commands) this.key(commandOf(command));
    return this;
  }

  /** Keys in one moment, on a page that is slow. */
  pressAtOnce(...commands: string[]): this {
    this.isQuick = false;
    for (const command of commands) this.key(commandOf(command), 0);
    return this;
  }

  /** A key, so many milliseconds after the last one. */
  pressAfter(after: number, command: string): this {
    this.key(commandOf(command), after);
    return this;
  }

  private key(command: string, after = 2000): void {
    this.do({ type: "key", command, since: this.now + after }, after);
  }

  /** The button of a card on the screen, so many milliseconds after the last input. */
  click(instance: string, word: string, after = 2000): this {
    return this.do({ type: "click", place: this.state.place, instance, word, since: this.now + after }, after);
  }

  write(text: string, instance = this.state.current): this {
    return this.do({ type: "typed", place: this.state.place, instance, text });
  }

  turnTo(instance: string): this {
    return this.do({ type: "select", place: this.state.place, instance });
  }

  why(reason?: string): this {
    return this.do({ type: "why", reason });
  }

  get card(): Card {
    return currentCard(this.state);
  }

  get words(): string[] {
    return currentItem(this.state).cards.map(({ judgment }) => judgment.word);
  }

  get texts(): string[] {
    return currentItem(this.state).cards.map(({ text }) => text);
  }

  /** What was decided, as it would be sent. */
  get decided(): [string, string, string][] {
    return this.messages.filter(isDecision).map(({ instance, word, comment }: Decision) => [instance, word, comment]);
  }

  has(kind: Effect["kind"]): boolean {
    return this.effects.some((effect) => effect.kind === kind);
  }
}
