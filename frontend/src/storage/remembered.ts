// What this browser remembers. If it keeps nothing (site data blocked, disk full), or an entry is damaged, pages work as
// they do for somebody new.
type Kind = "localStorage" | "sessionStorage";

export function recall(name: string, kind: Kind = "localStorage"): string | undefined {
  try {
    return window[kind].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Forgets it without a text. */
export function remember(name: string, text: string | undefined, kind: Kind = "localStorage"): void {
  try {
    if (text === undefined) window[kind].removeItem(name);
    else window[kind].setItem(name, text);
  } catch {
    // Nothing that a person could do, and nothing that they decided: decisions are kept in IndexedDB.
  }
}

/** A value that was remembered as JSON; `otherwise` if there is none, or not such a one. */
export function recallJson<Value>(name: string, otherwise: Value, isSuch: (value: any) => boolean, kind?: Kind): Value {
  try {
    const value: Value = JSON.parse(recall(name, kind) ?? "null");
    return isSuch(value) ? value : otherwise;
  } catch {
    return otherwise;
  }
}
