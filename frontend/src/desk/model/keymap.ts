// Which key does what.

export type KeyMap = Readonly<Record<string, string>>;

export const DEFAULTS: KeyMap = {
  "grade-3": "3",
  "grade-2": "2",
  "grade-1": "1",
  "grade-0": "0",
  do_not_know: "d",
  system_failure: "f",
  not_matching: "n",
  same: "r",
  formula: "m",
  undo: "u",
  defer: "s",
  next: "j",
  previous: "k",
  thread: "t",
  comment: "c",
  marks: "/",
  guide: "g",
  ask: "q",
  keys: "?",
};
const ARROWS: KeyMap = { ArrowRight: "next", ArrowLeft: "previous" };

export const commandOf = (word: string): string => (/^\d$/.test(word) ? `grade-${word}` : word);

export const holderOf = (map: KeyMap, key: string | undefined): string | undefined =>
  Object.keys(map).find((command) => map[command] === key);

/** The map with one key changed; the command that had the key gets the other one. */
export function remapped(map: KeyMap, command: string, key: string): KeyMap {
  const holder = holderOf(map, key);
  return { ...map, ...(holder ? { [holder]: map[command]! } : {}), [command]: key };
}

export function labelOf(command: string, map: KeyMap): string {
  const key = map[command] ?? "";
  return key.length === 1 ? key.toUpperCase() : key;
}

export type Press = Pick<KeyboardEvent, "key" | "code" | "shiftKey">;

/** The key at this place of a US keyboard, for what other layouts have there: digits (AZERTY, Czech; the number pad without
 * NumLock), and letters of other scripts (Cyrillic, Greek, Hebrew). Letters of Latin layouts mean themselves. */
function keyInPlace({ key, code, shiftKey }: Press): string | undefined {
  const digit = /^Numpad(\d)$/.exec(code) ?? (shiftKey ? null : /^Digit(\d)$/.exec(code));
  if (digit) return digit[1];
  return /\p{Script=Latin}/u.test(key) ? undefined : /^Key([A-Z])$/.exec(code)?.[1]!.toLowerCase();
}

/** The command of a key; that of its place if the key itself has none. */
export function commandFor(press: Press, map: KeyMap): string | undefined {
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  return holderOf(map, key) ?? holderOf(map, keyInPlace(press)) ?? ARROWS[key];
}
