// Single keys: on keydown, never repeated, never with a modifier, never while typing or in a dialog, only where wanted.
// Which key does what is kept in this browser.

const SWITCH = "assess.keys";
const OWN = "assess.keymap";

export const DEFAULTS: Readonly<Record<string, string>> = {
  "grade-3": "3",
  "grade-2": "2",
  "grade-1": "1",
  "grade-0": "0",
  do_not_know: "d",
  system_failure: "f",
  not_matching: "n",
  same: "r",
  undo: "u",
  defer: "s",
  next: "j",
  previous: "k",
  thread: "t",
  comment: "c",
  marks: "/",
  guide: "g",
  ask: "q",
  keys: "?",
};
const ARROWS: Readonly<Record<string, string>> = { ArrowRight: "next", ArrowLeft: "previous" };

/** A word that judges, as an action. */
export const actionOf = (word: string): string => (/^\d$/.test(word) ? `grade-${word}` : word);

/** The keys with one changed; whoever had that key gets the other's. */
export function remapped(map: Record<string, string>, action: string, key: string): Record<string, string> {
  const holder = Object.keys(map).find((one) => map[one] === key);
  return { ...map, ...(holder ? { [holder]: map[action]! } : {}), [action]: key };
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("textarea, select, [contenteditable], input") !== null;

/** A slider, as the divider of the panes, has the arrows for itself, and so has what they scroll sideways. */
function ownsArrows({ key, target }: KeyboardEvent): boolean {
  if (!key.startsWith("Arrow") || !(target instanceof Element)) return false;
  for (let box: Element | null = target; box && !box.matches(".item, .pane"); box = box.parentElement) {
    const isWider: boolean = box.scrollWidth > box.clientWidth && ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
    if (isWider || box.matches("[role=separator]")) return true;
  }
  return false;
}

const isOurs = (event: KeyboardEvent): boolean =>
  !(event.repeat || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) &&
  !isTyping(event.target) &&
  !ownsArrows(event) &&
  document.querySelector("dialog[open]") === null;

export const ownMap = (): Record<string, string> => ({ ...DEFAULTS, ...JSON.parse(localStorage.getItem(OWN) ?? "{}") });
export const isOn = (): boolean => localStorage.getItem(SWITCH) !== "off";

/** The key of an action as it is written. */
export function labelOf(action: string, map: Record<string, string>): string {
  const key = map[action] ?? "";
  return key.length === 1 ? key.toUpperCase() : key;
}

/** The action of a key that was pressed, if it has one. */
export function pressed(event: KeyboardEvent, map: Record<string, string>): string | undefined {
  if (!isOurs(event)) return undefined;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return Object.keys(map).find((one) => map[one] === key) ?? ARROWS[key];
}

export class Keys {
  private map = ownMap();
  private on = isOn();
  private readonly dialog = document.querySelector<HTMLDialogElement>("dialog#keys")!;
  private readonly list = this.dialog.querySelector<HTMLElement>(".key-list")!;

  /** `act` says whether it could do anything with the action. */
  constructor(private readonly act: (action: string, event: KeyboardEvent) => boolean) {
    const box = this.dialog.querySelector<HTMLInputElement>("#keys-on")!;
    box.checked = this.on;
    box.addEventListener("change", () => this.switch(box.checked));
    this.dialog.querySelector("#keys-reset")!.addEventListener("click", () => this.use({ ...DEFAULTS }));
    for (const key of this.dialog.querySelectorAll<HTMLElement>("kbd[data-action]")) this.makeEditable(key);
    const opener = document.querySelector<HTMLButtonElement>("#keys-open")!;
    opener.hidden = false;
    opener.addEventListener("click", () => this.open());
    document.addEventListener("keydown", (event) => this.press(event));
    this.show();
  }

  open(): void {
    this.dialog.showModal();
  }

  label(action: string): string {
    return labelOf(action, this.map);
  }

  private press(event: KeyboardEvent): void {
    const action = this.on ? pressed(event, this.map) : undefined;
    if (action !== undefined && this.act(action, event)) event.preventDefault();
  }

  private switch(on: boolean): void {
    this.on = on;
    localStorage.setItem(SWITCH, on ? "on" : "off");
    this.show();
  }

  private use(map: Record<string, string>): void {
    this.map = map;
    localStorage.setItem(OWN, JSON.stringify(map));
    this.show();
  }

  private show(): void {
    document.documentElement.classList.toggle("keys", this.on);
    for (const key of this.dialog.querySelectorAll<HTMLElement>("kbd[data-action]")) {
      key.textContent = this.label(key.dataset.action!);
    }
    document.dispatchEvent(new Event("assess:keys"));
  }

  /** A click, then the new key, which has to be one that can be seen; Escape leaves it as it was. */
  private makeEditable(key: HTMLElement): void {
    key.tabIndex = 0;
    key.role = "button";
    key.ariaLive = "polite";
    const wait = (isWaiting: boolean): void => {
      key.classList.toggle("waiting", isWaiting);
      key.textContent = isWaiting ? this.list.dataset.press! : this.label(key.dataset.action!);
    };
    key.addEventListener("click", () => wait(true));
    key.addEventListener("blur", () => wait(false));
    key.addEventListener("keydown", (event) => {
      if (!key.classList.contains("waiting")) {
        if (event.key === "Enter" || event.key === " ") key.click();
        return;
      }
      event.preventDefault();
      const isVisible = event.key.trim().length === 1;
      if (event.key === "Escape" || isVisible) wait(false);
      if (isVisible) this.use(remapped(this.map, key.dataset.action!, event.key.toLowerCase()));
    });
  }
}
