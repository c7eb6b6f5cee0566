// What an assessor decides, and what the server keeps of it.

/** What is kept of a document; an empty word is no judgment. `at`: when it was made, by the clock of the page, if that is
 * known. */
export interface Judgment {
  readonly word: string;
  readonly comment: string;
  readonly passage?: string;
  readonly key: string;
  readonly at?: number;
}

export const NO_JUDGMENT: Judgment = { word: "", comment: "", key: "" };

/** About one document. `after`: the key of the judgment that the assessor saw, empty if there was none. An empty `word`
 * takes a judgment back. `rulings`: how many rulings of the topic were on the page. Times in milliseconds since the
 * document was opened. */
export interface Decision {
  key: string;
  assignment: string;
  place: number;
  instance: string;
  content_hash: string;
  after: string;
  word: string;
  comment: string;
  /** What was marked in the document. Older messages that wait lack it. */
  passage?: string;
  active_ms: number;
  wall_ms: number;
  rulings: string;
}

interface Deferral {
  key: string;
  assignment: string;
  place: number;
  defer: "yes" | "no";
}

/** What waits in this browser until the server has it. */
export type Message = Decision | Deferral;

export const isDecision = (message: Message): message is Decision => "word" in message;

/** A unique key of 32 letters and digits. (Over plain http a page has no `randomUUID`.) */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
