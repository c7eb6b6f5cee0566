// What the status line says.
import { absentPlaces } from "./places";
import type { Said, State } from "./state";

type Words = Readonly<Record<string, string>>;

export const textOf = ({ word, numbers = [], detail }: Said, words: Words): string =>
  [words[word], numbers.join(` ${words.place} `), detail].filter(Boolean).join(" ");

/** The report of what is saved, and its manner, "bad" only for what needs a decision; none if the line stays as it is. */
export function reportOf(state: State, words: Words, isOnline: boolean): [text: string, manner: string] | undefined {
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
  const done = state.done ? textOf(state.done, words) : "";
  if (absent.length) return [all(done), "waiting"];
  if (state.isEarly) return [words.early!, "waiting"];
  return done ? [done, "good"] : undefined;
}
