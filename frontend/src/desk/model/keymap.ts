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

/** The map with one key changed; the command that had the key gets the other one. */
export function remapped(map: KeyMap, command: string, key: string): KeyMap {
  const holder = Object.keys(map).find((other) => map[other] === key);
  return { ...map, ...(holder ? { [holder]: map[command]! } : {}), [command]: key };
}

export function labelOf(command: string, map: KeyMap): string {
  const key = map[command] ?? "";
  return key.length === 1 ? key.toUpperCase() : key;
}

export function commandFor(pressed: string, map: KeyMap): string | undefined {
  const key = pressed.length === 1 ? pressed.toLowerCase() : pressed;
  return Object.keys(map).find((command) => map[command] === key) ?? ARROWS[key];
}
