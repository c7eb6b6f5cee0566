// What this browser remembers of a person: drafts of comments, what can be undone, the keys.
import type { History } from "../model/state";
import { DEFAULTS, type KeyMap } from "../model/keymap";

const MOST = 100;

const historyName = (assignment: string): string => `assess.undo.${assignment}`;

export const loadHistory = (assignment: string): History =>
  JSON.parse(sessionStorage.getItem(historyName(assignment)) ?? "[]");

export const saveHistory = (assignment: string, history: History): void =>
  sessionStorage.setItem(historyName(assignment), JSON.stringify(history.slice(-MOST)));

const draftName = (assignment: string, instance: string): string => `assess.draft.${assignment}.${instance}`;

export const loadDraft = (assignment: string, instance: string): string | undefined =>
  localStorage.getItem(draftName(assignment, instance)) ?? undefined;

export function saveDraft(assignment: string, instance: string, text: string | undefined): void {
  if (text === undefined) localStorage.removeItem(draftName(assignment, instance));
  else localStorage.setItem(draftName(assignment, instance), text);
}

const SWITCH = "assess.keys";
const KEY_MAP = "assess.keymap";

export const areKeysOn = (): boolean => localStorage.getItem(SWITCH) !== "off";
export const switchKeys = (isOn: boolean): void => localStorage.setItem(SWITCH, isOn ? "on" : "off");

export const loadKeyMap = (): KeyMap => ({ ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY_MAP) ?? "{}") });
export const saveKeyMap = (map: KeyMap): void => localStorage.setItem(KEY_MAP, JSON.stringify(map));
