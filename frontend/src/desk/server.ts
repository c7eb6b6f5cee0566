// The desk's words with the server.
import { isDecision, type Deferral, type Decision, type ItemHtml, type Message, type Standing } from "./decision";

/** `isClosed`: the assignment was taken back; what was decided is kept all the same. A refusal that has no words comes
 * with the number of its status. `failed`: an error of the server, which may be one with just this message. */
export type Answer =
  | { kind: "kept"; standing?: Standing; item?: ItemHtml; isClosed?: boolean }
  | { kind: "conflict" }
  | { kind: "refused"; detail: string }
  | { kind: "failed" }
  | { kind: "session" }
  | { kind: "away" };

export interface Batch {
  kind: "batch";
  states: string;
  deferred: number[];
  items: ItemHtml[];
}

/** Nothing came: the session has ended or is another person's, the assignment is no longer there, or the server cannot be reached. */
export type Nothing = { kind: "session" } | { kind: "gone" } | { kind: "away" };

/** Django's token against forged requests. */
const token = (): string => /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "";

export const address = (assignment: string, place: number | "items"): string => `/judge/${assignment}/${place}/`;

/** Each request says whose page it comes from: the server answers it to nobody else. */
const whose = (): Record<string, string> => ({
  Accept: "application/json",
  "X-Page-Of": document.documentElement.dataset.user ?? "",
  "X-CSRFToken": token(),
});

/** Who has signed in instead of the person whose page this is, as the last answer had it; empty where nobody has. */
export let other = "";

/** A server that says nothing for so long is away. */
const PATIENCE = 15_000;

/** Redirects are not followed: the only one there is leads to the sign-in page. */
export function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: "manual", headers: whose(), signal: AbortSignal.timeout(PATIENCE), ...init });
}

/** A form of the page, with the token of now: that of the page is an old one once somebody has signed in again. */
export function sendForm(url: string, body: FormData): Promise<Response> {
  body.delete("csrfmiddlewaretoken");
  return ask(url, { method: "POST", body });
}

const form = (fields: Record<string, string | number>): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]));

export function isSignedOut({ type, status, headers }: Response): boolean {
  other = decodeURIComponent(headers.get("X-Signed-In") ?? "");
  return type === "opaqueredirect" || status === 403;
}

/** Sends what was decided; `want` is the place whose item shall come back with the answer. To put something off in a
 * topic that was taken back means nothing any longer. */
export async function send(message: Message, want?: number): Promise<Answer> {
  try {
    const answer = await read(await (isDecision(message) ? post(message, want) : defer(message)));
    const isMoot = !isDecision(message) && answer.kind === "refused" && answer.detail === "404";
    return isMoot ? { kind: "kept", isClosed: true } : answer;
  } catch {
    return { kind: "away" }; // also where the answer was cut off: it goes again, and is kept once
  }
}

function post({ assignment, place, ...fields }: Decision, want?: number): Promise<Response> {
  const body = form(want === undefined ? fields : { ...fields, want });
  return ask(address(assignment, place), { method: "POST", body });
}

const defer = ({ assignment, place, defer }: Deferral): Promise<Response> =>
  ask(`${address(assignment, place)}defer/`, { method: "POST", body: form({ defer }) });

async function read(response: Response): Promise<Answer> {
  const { status } = response;
  if (isSignedOut(response)) return { kind: "session" };
  if ([400, 404, 413].includes(status)) return { kind: "refused", detail: String(status) };
  if (status === 409) return { kind: "conflict" };
  if (status === 500) return { kind: "failed" };
  if (status !== 200 && status !== 422) return { kind: "away" };
  const said = await response.json();
  if (status === 422) return { kind: "refused", detail: said.detail };
  return { kind: "kept", standing: said.standing, item: said.item, isClosed: said.closed };
}

/** The states of all places, which are put off, and the items of some. */
export async function fetchItems(assignment: string, places: number[]): Promise<Batch | Nothing> {
  const query = new URLSearchParams(places.map((place) => ["place", String(place)]));
  try {
    const response = await ask(`${address(assignment, "items")}?${query}`);
    if (response.ok) return { kind: "batch", ...(await response.json()) };
    if (isSignedOut(response)) return { kind: "session" };
    return { kind: response.status === 404 ? "gone" : "away" };
  } catch {
    return { kind: "away" };
  }
}

/** Signs the same person in again; false for a wrong password. */
export async function signIn(url: string, username: string, password: string): Promise<boolean> {
  await ask(url); // for a fresh token
  const response = await ask(url, { method: "POST", body: form({ username, password }) });
  return response.type === "opaqueredirect";
}
