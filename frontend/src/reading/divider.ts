// The position of the divider between the panes, in percent of the desk.

export const MIDDLE = 42;
export const LEAST = 25;
export const MOST = 75;
const STEP = 2;
const NEAR = 1;

const within = (percent: number): number => Math.min(MOST, Math.max(LEAST, percent));

/** For a pointer at `x`; near the middle it snaps to the middle. */
export function atPointer(x: number, left: number, width: number): number {
  const percent = within(Math.round((1000 * (x - left)) / width) / 10);
  return Math.abs(percent - MIDDLE) <= NEAR ? MIDDLE : percent;
}

/** After a key; undefined if the key does not move it. */
export function afterKey(key: string, percent: number): number | undefined {
  const positions: Readonly<Record<string, number>> = {
    ArrowLeft: percent - STEP,
    ArrowRight: percent + STEP,
    Home: LEAST,
    End: MOST,
    Enter: MIDDLE,
  };
  const position = positions[key];
  return position === undefined ? undefined : within(position);
}
