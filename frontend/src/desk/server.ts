// The desk's words with the server.
import type { Decision, ItemHtml, Standing } from "./decision";

export type Answer =
  | { kind: "kept"; standing: Standing; item?: ItemHtml }
  | { kind: "conflict"; standing: Standing }
  | { kind: "refused"; detail: string }
  | { kind: "session" }
  | { kind: "away" };

export interface Batch {
  states: string;
  items: ItemHtml[];
}

/** Django's token against forged requests. */
export const token = (): string => /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "";

const JSON_ONLY = { Accept: "application/json" };
/** A server that says nothing for so long is away. */
const PATIENCE = 15_000;

/** Redirects are not followed: the only one there is leads to the sign-in page. */
function ask(address: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...JSON_ONLY, "X-CSRFToken": token() };
  return fetch(address, { redirect: "manual", headers, signal: AbortSignal.timeout(PATIENCE), ...init });
}

const form = (fields: Record<string, string | number>): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]));

/** Sends one decision; `want` is the place whose item shall come back with the answer. */
export async function send(decision: Decision, want?: number): Promise<Answer> {
  const { assignment, place, ...fields } = decision;
  const body = form(want === undefined ? { ...fields } : { ...fields, want });
  let response: Response;
  try {
    response = await ask(`/judge/${assignment}/${place}/`, { method: "POST", body });
  } catch {
    return { kind: "away" };
  }
  return read(response);
}

async function read(response: Response): Promise<Answer> {
  if (response.type === "opaqueredirect" || response.status === 403) return { kind: "session" };
  if (response.status === 404) return { kind: "refused", detail: "this topic is no longer yours" };
  if (![200, 409, 422].includes(response.status)) return { kind: "away" };
  try {
    const said = await response.json();
    if (response.status === 422) return { kind: "refused", detail: said.detail };
    if (response.status === 409) return { kind: "conflict", standing: said.standing };
    return { kind: "kept", standing: said.standing, item: said.item };
  } catch {
    return { kind: "away" }; // the answer was cut off: the decision goes again, and is kept once
  }
}

/** The states of all places, and the items of some; undefined where the server cannot be reached. */
export async function fetchItems(assignment: string, places: number[]): Promise<Batch | undefined> {
  const query = new URLSearchParams(places.map((place) => ["place", String(place)]));
  try {
    const response = await ask(`/judge/${assignment}/items/?${query}`);
    return response.ok ? ((await response.json()) as Batch) : undefined;
  } catch {
    return undefined;
  }
}

export async function defer(assignment: string, place: number, on: boolean): Promise<boolean> {
  try {
    const body = form({ defer: on ? "yes" : "no" });
    return (await ask(`/judge/${assignment}/${place}/defer/`, { method: "POST", body })).ok;
  } catch {
    return false;
  }
}

/** Signs the same person in again; false for a wrong password. */
export async function signIn(address: string, username: string, password: string): Promise<boolean> {
  await ask(address); // for a fresh token
  const response = await ask(address, { method: "POST", body: form({ username, password }) });
  return response.type === "opaqueredirect";
}
