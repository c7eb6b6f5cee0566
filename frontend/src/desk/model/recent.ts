// The last decisions of this window, as they hold now.
import type { State } from "./state";

const MOST = 5;

export interface Recent {
  readonly place: number;
  readonly word: string;
}

/** The newest first; of each document once. */
export function recentDecisions({ history, known }: State): Recent[] {
  const told = new Set<string>();
  const all = history.flatMap(({ place, decisions }) => decisions.slice(-1).map((decision) => ({ place, ...decision })));
  return all
    .reverse()
    .filter(({ instance }) => !told.has(instance) && told.add(instance))
    .map(({ place, instance, word }) => ({ place, word: known.get(instance)?.word ?? word }))
    .filter(({ word }) => word !== "")
    .slice(0, MOST);
}
