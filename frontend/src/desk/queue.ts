// Where the assessor is in the assignment, and what is ready to be shown.

export const OPEN = "o";
export const DEFERRED = "d";
/** So many items are ready. */
export const AHEAD = 6;

/** The places of an assignment, 1-based, each with a state of one letter, and the items that are ready. Which are put
 * off is remembered of judged ones too: taken back, they are put off again, as the server has it. */
export class Queue<Item> {
  private readonly ready = new Map<number, Item>();
  private readonly asked = new Set<number>();
  private readonly lost = new Set<number>();
  private readonly deferred: Set<number>;

  constructor(
    public states: string,
    deferred: number[] = [],
  ) {
    this.deferred = new Set(deferred);
  }

  get total(): number {
    return this.states.length;
  }

  get judged(): number {
    return [...this.states].filter((state) => state !== OPEN && state !== DEFERRED).length;
  }

  state(place: number): string {
    return this.states[place - 1] ?? "";
  }

  /** Whether something is left to judge. */
  isLeft(place: number): boolean {
    return [OPEN, DEFERRED].includes(this.state(place));
  }

  isDeferred(place: number): boolean {
    return this.deferred.has(place);
  }

  /** `judged`: the state, where nothing is left to judge. */
  set(place: number, judged?: string): void {
    const state = judged ?? (this.isDeferred(place) ? DEFERRED : OPEN);
    this.states = this.states.slice(0, place - 1) + state + this.states.slice(place);
  }

  /** Put off, or no longer. */
  defer(place: number, on: boolean): void {
    if (on) this.deferred.add(place);
    else this.deferred.delete(place);
    if (this.isLeft(place)) this.set(place);
  }

  /** The places whose items the server could not show. */
  get absent(): number[] {
    return [...this.lost].sort((one, other) => one - other);
  }

  /** The places with something left to judge: those after this one, then those before it; those put off come later,
   * those that could not be shown last. */
  following(after: number): number[] {
    const places = [...this.states].map((_, index) => index + 1);
    const turned = [...places.slice(after), ...places.slice(0, after)];
    const open = [OPEN, DEFERRED].flatMap((state) => turned.filter((place) => this.state(place) === state));
    const isLost = (place: number): boolean => this.lost.has(place);
    return [...open.filter((place) => !isLost(place)), ...open.filter(isLost)].filter((place) => place !== after);
  }

  get all(): Item[] {
    return [...this.ready.values()];
  }

  get(place: number): Item | undefined {
    return this.ready.get(place);
  }

  put(place: number, item: Item): void {
    this.asked.delete(place);
    this.lost.delete(place);
    this.ready.set(place, item);
  }

  forget(place: number): void {
    this.ready.delete(place);
  }

  /** The places that will be wanted soon, `first` before what is left to judge, and are neither ready nor asked for.
   * Asking for them is left to the caller. */
  missing(from: number, first: number[] = []): number[] {
    const soon = new Set([...first, ...this.following(from).slice(0, AHEAD)]);
    return [...soon].filter((place) => ![this.ready, this.asked, this.lost].some((known) => known.has(place)));
  }

  ask(places: number[]): void {
    for (const place of places) this.asked.add(place);
  }

  /** What was asked for will not come. */
  unask(places: number[]): void {
    for (const place of places) this.asked.delete(place);
  }

  /** The server cannot show it. */
  lose(places: number[]): void {
    this.unask(places);
    for (const place of places) this.lost.add(place);
  }

  /** The items that nobody will want soon. */
  spare(current: number, first: number[] = []): [number, Item][] {
    const kept = new Set([current, current - 1, current + 1, ...first, ...this.following(current).slice(0, AHEAD + 2)]);
    return [...this.ready].filter(([place]) => !kept.has(place));
  }
}
