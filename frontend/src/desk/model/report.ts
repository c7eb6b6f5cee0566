// What the status line says.
import { absentPlaces } from "./places";
import type { Scale } from "./scale";
import type { Decided, Said, State } from "./state";

type Words = Readonly<Record<string, string>>;

/** "12: Low", or "12 (2 of 3): Low". */
function decisionText({ place, word, numbers, of }: Decided, words: Words, { names }: Scale): string {
  const which = of > 1 ? ` (${numbers.join(", ")} ${words.place} ${of})` : "";
  return `${place}${which}: ${names[word]?.[0] ?? words.not_judged}`;
}

export const textOf = ({ word, numbers = [], detail, decided }: Said, words: Words, scale: Scale): string =>
  decided
    ? decisionText(decided, words, scale)
    : [words[word], numbers.join(` ${words.place} `), detail].filter(Boolean).join(" ");

type Report = [text: string, manner: string, decided?: string];

/** The report of what is saved, its manner, "bad" only for what needs a decision, and the decision that it begins with;
 * none if the line stays as it is. */
export function reportOf(state: State, words: Words, isOnline: boolean): Report | undefined {
  const { other, outbox } = state;
  const { waiting, unkept, mode } = outbox;
  const absent = absentPlaces(state.places);
  const parts = [
    waiting ? `${waiting} ${words.waiting}` : "",
    unkept ? `${unkept} ${words.not_kept}` : "",
    absent.length ? `${words.absent} ${absent.join(", ")}` : "",
  ];
  const all = (before?: string, after?: string): string => [before, ...parts, after].filter(Boolean).join(", ");
  if (mode === "session") return [all("", other ? words.other!.replace("{}", other) : words.session), "bad"];
  if (mode === "away") return [all(isOnline ? "" : words.offline), unkept ? "bad" : "waiting"];
  if (waiting > 1) return [all(), unkept ? "bad" : "waiting"];
  if (waiting || state.storing.size || mode !== "idle") return undefined;
  if (state.isClosed) return [words.closed!, "bad"];
  if (unkept) return [all("", words.else_saved), "bad"];
  const done = state.done ? textOf(state.done, words, state.page.scale) : "";
  const decided: [word?: string] = state.done?.decided ? [state.done.decided.word] : [];
  if (absent.length) return [all(done), "waiting", ...decided];
  if (state.isEarly) return [words.early!, "waiting"];
  return done ? [done, "good", ...decided] : undefined;
}
