// The requests of the desk to the server.
import { isDecision, type Judgment, type Message } from "../model/messages";

/** The item of a place, as the server renders it. */
export interface ItemHtml {
  place: number;
  html: string;
}

/** The session has ended, or is another person's. */
type SignedOut = { kind: "session"; other: string };

/** `isClosed`: the assignment was taken back; the decision is kept all the same. A refusal without words comes with the
 * number of its status. `failed`: an error of the server, perhaps one with just this message. */
export type SendResult =
  | { kind: "kept"; judgment?: Judgment; item?: ItemHtml; isClosed?: boolean }
  | { kind: "refused"; detail: string }
  | { kind: "conflict" | "failed" | "away" }
  | SignedOut;

interface Batch {
  kind: "batch";
  states: string;
  deferred: number[];
  items: ItemHtml[];
}

/** `gone`: the assignment was taken back. */
export type Nothing = { kind: "gone" | "away" } | SignedOut;

export const address = (assignment: string, place: number | "items"): string => `/judge/${assignment}/${place}/`;

/** At the end of an address of the desk: undo at once. */
export const UNDO = "#undo";

/** A server that does not answer for so long is away. */
const PATIENCE = 15_000;

/** Says whose page asks: the server answers nobody else. Redirects lead to the sign-in page: they are not followed. */
export function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    Accept: "application/json",
    "X-Page-Of": document.documentElement.dataset.user ?? "",
    "X-CSRFToken": /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "",
  };
  return fetch(url, { redirect: "manual", headers, signal: AbortSignal.timeout(PATIENCE), ...init });
}

/** Sends a form of the page with the current token: that of the page is old after another sign-in. */
export function sendForm(url: string, body: FormData): Promise<Response> {
  body.delete("csrfmiddlewaretoken");
  return ask(url, { method: "POST", body });
}

const form = (fields: Record<string, string | number>): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]));

/** Who has signed in instead of the person whose page this is, empty if nobody; undefined if the session is theirs. */
export const otherPerson = ({ type, status, headers }: Response): string | undefined =>
  type === "opaqueredirect" || status === 403 ? decodeURIComponent(headers.get("X-Signed-In") ?? "") : undefined;

/** Sends a message; `want` is the place whose item the answer should bring. A deferral in a topic that was taken back
 * means nothing any more. */
export async function send(message: Message, want?: number): Promise<SendResult> {
  const { assignment, place, ...fields } = message;
  const url = address(assignment, place) + (isDecision(message) ? "" : "defer/");
  const body = form(want === undefined ? fields : { ...fields, want });
  try {
    const answer = await read(await ask(url, { method: "POST", body }));
    const isMoot = !isDecision(message) && answer.kind === "refused" && answer.detail === "404";
    return isMoot ? { kind: "kept", isClosed: true } : answer;
  } catch {
    return { kind: "away" }; // also if the answer was cut off: it is sent again, and kept once
  }
}

async function read(response: Response): Promise<SendResult> {
  const { status } = response;
  const other = otherPerson(response);
  if (other !== undefined) return { kind: "session", other };
  if ([400, 404, 413].includes(status)) return { kind: "refused", detail: String(status) };
  if (status === 409) return { kind: "conflict" };
  if (status === 500) return { kind: "failed" };
  if (status !== 200 && status !== 422) return { kind: "away" };
  const answer = await response.json();
  if (status === 422) return { kind: "refused", detail: answer.detail };
  return { kind: "kept", judgment: answer.standing, item: answer.item, isClosed: answer.closed };
}

/** The states of all places, which are deferred, and the items of some. */
export async function fetchItems(assignment: string, places: readonly number[]): Promise<Batch | Nothing> {
  const query = new URLSearchParams(places.map((place) => ["place", String(place)]));
  try {
    const response = await ask(`${address(assignment, "items")}?${query}`);
    if (response.ok) return { kind: "batch", ...(await response.json()) };
    const other = otherPerson(response);
    if (other !== undefined) return { kind: "session", other };
    return { kind: response.status === 404 ? "gone" : "away" };
  } catch {
    return { kind: "away" };
  }
}

/** How long to wait before something is tried again, in milliseconds: longer each time. */
export function* pauses(): Generator<number, never> {
  for (let pause = 500; ; pause = Math.min(2 * pause, 10_000)) yield pause;
}

/** A pause that ends when the network is back. */
export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    addEventListener("online", () => resolve(), { once: true });
  });

/** Signs the same person in again; false for a wrong password. */
export async function signIn(url: string, username: string, password: string): Promise<boolean> {
  await ask(url); // for a fresh token
  const response = await ask(url, { method: "POST", body: form({ username, password }) });
  return response.type === "opaqueredirect";
}
