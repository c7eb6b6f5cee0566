// Highlighted words: what is typed, and where it occurs in a text.

export const COLOURS = 6;
/** In a text, a block or a formula that ends a phrase. */
export const BREAK = "\ufffc";
const LONGEST = 100;

/** Words that share a colour. */
export interface Mark {
  words: string[];
  colour: number;
}

/** Words or phrases between commas, each once. */
export function parsed(typed: string): string[] {
  const words = typed.split(",").map((word) => word.replace(/\s+/gu, " ").trim().slice(0, LONGEST));
  const seen = new Set<string>();
  return words.filter((word) => {
    const name = word.toLowerCase();
    const isNew = /[^"\s]/u.test(word) && !seen.has(name);
    seen.add(name);
    return isNew;
  });
}

export function freeColour(marks: readonly Mark[]): number | undefined {
  return [...Array(COLOURS).keys()].find((colour) => !marks.some((mark) => mark.colour === colour));
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");

function pattern(word: string): string {
  const isWhole = /^".+"$/u.test(word);
  const text = isWhole ? word.slice(1, -1).trim() : word;
  const starts = /^[\p{L}\p{N}]/u.test(text) ? "(?<![\\p{L}\\p{N}])" : "";
  const ends = isWhole && /[\p{L}\p{N}]$/u.test(text) ? "(?![\\p{L}\\p{N}])" : "";
  return starts + text.split(" ").map(escaped).join("\\s+") + ends;
}

/** Where the words begin and end, in any case: at the start of words of the text; "in quotes", whole words only. The
 * longest of several matches counts. */
export function matchesIn(text: string, words: readonly string[]): [number, number][] {
  if (!words.length) return [];
  const longestFirst = [...words].sort((word, other) => other.length - word.length);
  const matches = text.matchAll(new RegExp(longestFirst.map(pattern).join("|"), "giu"));
  return [...matches].map((match) => [match.index, match.index + match[0].length]);
}

const LITTLE = new Set(
  ("all and any are but can did does for get had has her him his how its let may nor not off one our out own " +
    "per say she the too two use was way who why yet you " +
    "about above also been being between both does doing each find from given have having here into isn't just " +
    "like make more most need only other over prove proof same show some such than that their them then there " +
    "these they this those under using very want were what when where which while whose will with without would your"
  ).split(" "),
);

/** The words of a title that may say what it is about: at least three letters, and no common words. */
export function terms(title: string): string[] {
  const words = title.toLowerCase().match(/[\p{L}][\p{L}'’-]{2,}/gu) ?? [];
  return [...new Set(words)].filter((word) => !LITTLE.has(word));
}
