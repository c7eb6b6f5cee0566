// What this browser remembers of a person: drafts of comments and passages, what can be undone, the keys.
import { recall, recallJson, remember } from "../../storage/remembered";
import { chosenIn, type KeyMap } from "../model/keymap";
import type { History } from "../model/state";

const MOST = 100;

const historyName = (assignment: string): string => `assess.undo.${assignment}`;
const isHistory = (value: History): boolean =>
  value.every(({ place, decisions }) => typeof place === "number" && Array.isArray(decisions));

export const loadHistory = (assignment: string): History =>
  recallJson<History>(historyName(assignment), [], isHistory, "sessionStorage");

export const saveHistory = (assignment: string, history: History): void =>
  remember(historyName(assignment), JSON.stringify(history.slice(-MOST)), "sessionStorage");

/** What is not saved of a document: the text of its comment, and the passage that is marked. */
type Part = "draft" | "passage";
const draftName = (part: Part, assignment: string, instance: string): string => `assess.${part}.${assignment}.${instance}`;

export const loadDraft = (part: Part, assignment: string, instance: string): string | undefined =>
  recall(draftName(part, assignment, instance));

export const saveDraft = (part: Part, assignment: string, instance: string, text: string | undefined): void =>
  remember(draftName(part, assignment, instance), text);

const LEARNED = "assess.judged";

/** How many decisions were made in this browser, as far as that matters. */
export const decisionsMade = (): number => Number(recall(LEARNED)) || 0;
export const countDecisions = (more: number): void => remember(LEARNED, String(decisionsMade() + more));

const SWITCH = "assess.keys";
const [OWN_KEYS, WHOLE_MAP] = ["assess.own_keys", "assess.keymap"];
const isKeyMap = (value: KeyMap): boolean => Object.values(value).every((key) => typeof key === "string");

export const areKeysOn = (): boolean => recall(SWITCH) !== "off";
export const switchKeys = (isOn: boolean): void => remember(SWITCH, isOn ? "on" : "off");

/** The keys that differ from the usual ones, by command. */
export const loadOwnKeys = (): KeyMap =>
  recallJson<KeyMap | undefined>(OWN_KEYS, undefined, isKeyMap) ?? chosenIn(recallJson<KeyMap>(WHOLE_MAP, {}, isKeyMap));
export const saveOwnKeys = (map: KeyMap): void => remember(OWN_KEYS, JSON.stringify(map));
