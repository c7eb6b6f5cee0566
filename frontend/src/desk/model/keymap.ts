// Which key does what.

import { isGrade, type Scale } from "./scale";

export type KeyMap = Readonly<Record<string, string>>;

const COMMANDS: KeyMap = {
  undo: "u",
  defer: "s",
  next: "j",
  previous: "k",
  comment: "c",
  marks: "/",
  passage: "", // p, unless an outcome has it
  guide: "g",
  ask: "q",
  keys: "?",
};
const IN_THREADS: KeyMap = { same: "r", formula: "m", thread: "t" };
const OUTCOMES: KeyMap = { do_not_know: "d", system_failure: "f", not_matching: "n" };
/** What others get, the first that is free. */
const OTHERS = "-=abcdefghijklmnopqrstuvwxyz0123456789";
const ARROWS: KeyMap = { ArrowRight: "next", ArrowLeft: "previous" };

export const commandOf = (word: string): string => (isGrade(word) ? `grade-${word}` : word);

/** The keys of all commands, each another one. The assessor's own keys come first, then those that the lab chose for its
 * grades. Without one a grade has the digit of its value, and what is left has a letter of its name or any free key. */
export function keysOf({ grades, outcomes, hasThreads }: Scale, own: KeyMap = {}): KeyMap {
  const words = outcomes.map(([word]) => word);
  const usual: KeyMap = { ...COMMANDS, ...(hasThreads && IN_THREADS) };
  const scale = grades.map(([word, key]) => ({ command: commandOf(word), word, key: key.toLowerCase() }));
  const map: Record<string, string> = {};
  const give = (command: string, wishes: Iterable<string | undefined>): void => {
    const key = command in map ? undefined : [...wishes].find((wish) => wish && holderOf(map, wish) === undefined);
    if (key) map[command] = key;
  };
  for (const command of [...scale.map((grade) => grade.command), ...words, ...Object.keys(usual)]) give(command, [own[command]]);
  for (const { command, key } of scale) give(command, [key]);
  for (const { command, word } of scale) if (word.length === 1) give(command, [word]);
  for (const [command, key] of Object.entries(usual)) give(command, [key]);
  for (const word of words) give(word, [OUTCOMES[word]]);
  for (const { command } of scale) give(command, OTHERS);
  for (const command of [...words, ...Object.keys(usual)]) give(command, [...command.replace(/[^a-z]/g, ""), ...OTHERS]);
  return map;
}

/** What an assessor has chosen: where the map differs from the usual one, and what was chosen for commands of other labs. */
export function ownKeys(map: KeyMap, usual: KeyMap, before: KeyMap): KeyMap {
  const others = Object.entries(before).filter(([command]) => !(command in usual));
  return Object.fromEntries([...others, ...Object.entries(map).filter(([command, key]) => usual[command] !== key)]);
}

/** The own keys of a whole map, as version 0.1.0 remembers it. */
export const chosenIn = (map: KeyMap): KeyMap =>
  ownKeys(map, { ...COMMANDS, passage: "p", ...IN_THREADS, ...OUTCOMES, "grade-3": "3", "grade-2": "2", "grade-1": "1", "grade-0": "0" }, {});

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
