// When to suggest a rest: after so much attention without a pause, and then not for an hour.

const STRETCH_MS = 50 * 60_000;
const PAUSE_MS = 5 * 60_000;
const QUIET_MS = 60 * 60_000;

/** `attention`: milliseconds since the last pause; `last`: when it was paid; `suggested`: when a rest was suggested. */
export interface Stretch {
  attention: number;
  last: number;
  suggested: number;
}

/** The stretch with some more attention; a rest is suggested now if `suggested` is now. */
export function attend(milliseconds: number, now: number, before: Partial<Stretch>): Stretch {
  const { attention, last, suggested } = { attention: 0, last: 0, suggested: 0, ...before };
  const total = (now - last >= PAUSE_MS ? 0 : attention) + milliseconds;
  const isTime = total >= STRETCH_MS && now - suggested >= QUIET_MS;
  return { attention: total, last: now, suggested: isTime ? now : suggested };
}
