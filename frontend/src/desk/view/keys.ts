// Single keys: on keydown, never repeated, never with a modifier, never while typing or in a dialog, unless switched off.
import { commandFor, commandOf, holderOf, keysOf, labelOf, ownKeys, remapped, type KeyMap } from "../model/keymap";
import type { Scale } from "../model/scale";
import { areKeysOn, loadOwnKeys, saveOwnKeys, switchKeys } from "../sync/local_data";

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("textarea, select, [contenteditable], input") !== null;

/** A slider, as the divider of the panes, takes the arrows itself, and so does what they scroll sideways. */
function ownsArrows({ key, target }: KeyboardEvent): boolean {
  if (!key.startsWith("Arrow") || !(target instanceof Element)) return false;
  for (let box: Element | null = target; box && !box.matches(".item, .pane"); box = box.parentElement) {
    const isWider: boolean = box.scrollWidth > box.clientWidth && ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
    if (isWider || box.matches("[role=separator]")) return true;
  }
  return false;
}

/** Known, because a search at each key would pass through all formulas. */
const dialogs = [...document.querySelectorAll("dialog")];

const isOurs = (event: KeyboardEvent): boolean =>
  !(event.repeat || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) &&
  !isTyping(event.target) &&
  !ownsArrows(event) &&
  !dialogs.some(({ open }) => open);

/** The command of a key that was pressed, if it has one. */
export const pressedCommand = (event: KeyboardEvent, map: KeyMap): string | undefined =>
  isOurs(event) ? commandFor(event, map) : undefined;

const isCharacter = ({ key }: KeyboardEvent): boolean => key.trim().length === 1;

/** The keys of the desk, and the dialog that lists them. */
export class Keys {
  private readonly usual: KeyMap;
  private map: KeyMap;
  /** Before the last change, to undo it. */
  private before: KeyMap | undefined;
  /** A change that another command loses its key by: it is asked about first. */
  private proposed: KeyMap | undefined;
  private readonly dialog = document.querySelector<HTMLDialogElement>("dialog#keys")!;
  private readonly line = this.dialog.querySelector<HTMLElement>("#keys-said")!;
  private readonly said = this.line.querySelector("[role=status]")!;
  private readonly close = this.dialog.querySelector<HTMLButtonElement>("button[autofocus]")!;
  private readonly buttons = new Map(
    [...this.dialog.querySelectorAll<HTMLButtonElement>("button[data-keys]")].map((button) => [button.dataset.keys!, button]),
  );
  private isChanging = false;
  private readonly keys = this.dialog.querySelectorAll<HTMLElement>("kbd[data-command]");

  constructor(
    scale: Scale,
    private readonly act: (command: string, since: number) => void,
  ) {
    this.usual = keysOf(scale);
    this.map = keysOf(scale, loadOwnKeys());
    this.show(); // before anything is scrolled to above the bar
  }

  listen(): void {
    const box = this.dialog.querySelector<HTMLInputElement>("#keys-on")!;
    box.checked = areKeysOn();
    box.addEventListener("change", () => {
      switchKeys(box.checked);
      this.show();
    });
    this.dialog.addEventListener("close", () => this.change(false));
    this.dialog.addEventListener("cancel", (event) => {
      if (!this.isChanging) return;
      event.preventDefault(); // Escape leaves the mode first
      this.change(false);
    });
    this.on("change", () => this.change(true));
    this.on("done", () => this.change(false));
    this.on("exchange", () => this.use(this.proposed!));
    this.on("keep", () => this.tell(this.dialog.dataset.choose!));
    this.on("undo", () => {
      this.use(this.before!);
      this.before = undefined;
      this.tell(this.dialog.dataset.choose!);
    });
    this.on("reset", () => {
      this.use(this.usual);
      this.tell(this.dialog.dataset.reset!);
    });
    for (const key of this.keys) this.makeEditable(key);
    const opener = document.querySelector<HTMLButtonElement>("#keys-open")!;
    opener.hidden = false;
    opener.addEventListener("click", () => this.open());
    document.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("assess:mounted", (event) => this.label((event as CustomEvent<Element>).detail));
  }

  private on(name: string, act: () => void): void {
    this.buttons.get(name)!.addEventListener("click", act);
  }

  open(): void {
    this.dialog.showModal();
  }

  /** Shows the keys on the buttons below `root`, and says them to screen readers. */
  private label(root: ParentNode): void {
    for (const key of root.querySelectorAll<HTMLElement>("kbd[data-key-of]")) {
      key.textContent = labelOf(commandOf(key.dataset.keyOf!), this.map);
      if (areKeysOn() && key.textContent) key.parentElement!.setAttribute("aria-keyshortcuts", key.textContent);
      else key.parentElement!.removeAttribute("aria-keyshortcuts");
    }
  }

  private press(event: KeyboardEvent): void {
    if (!areKeysOn() || !isOurs(event)) return;
    const command = commandFor(event, this.map);
    if (command === undefined && !isCharacter(event)) return;
    if (command !== undefined) event.preventDefault();
    this.act(command ?? "unknown", event.timeStamp);
  }

  /** Keys can be changed only in a mode of its own: a key meant for a document changes none. */
  private change(isOn: boolean): void {
    this.isChanging = isOn;
    this.before = undefined;
    this.dialog.classList.toggle("changing", isOn);
    this.dialog.querySelector("h2")!.textContent = (isOn ? this.dialog.dataset.change : this.dialog.dataset.keys)!;
    this.line.hidden = !isOn;
    this.close.hidden = this.buttons.get("change")!.hidden = isOn;
    this.buttons.get("done")!.hidden = !isOn;
    (isOn ? this.buttons.get("done")! : this.close).focus();
    this.tell(isOn ? this.dialog.dataset.choose! : "");
    for (const key of this.keys) {
      key.role = isOn ? "button" : null;
      if (isOn) key.tabIndex = 0;
      else key.removeAttribute("tabindex");
    }
  }

  /** With `proposed`, it is a question. */
  private tell(text: string, proposed?: KeyMap): void {
    const isAnswered = this.proposed !== undefined && this.line.contains(document.activeElement);
    this.proposed = proposed;
    this.said.textContent = text;
    this.buttons.get("exchange")!.hidden = this.buttons.get("keep")!.hidden = proposed === undefined;
    this.buttons.get("undo")!.hidden = this.before === undefined || proposed !== undefined;
    if (proposed) this.buttons.get("keep")!.focus(); // a stray Enter changes nothing
    else if (isAnswered) this.buttons.get("done")!.focus();
  }

  private assign(command: string, key: string): void {
    const other = holderOf(this.map, key);
    if (other === command) return;
    const map = remapped(this.map, command, key);
    if (other === undefined) return this.use(map);
    const taken = this.dialog.dataset.taken!.replace("{key}", labelOf(other, this.map));
    this.tell(taken.replace("{other}", this.nameOf(other)), map);
  }

  /** What a command is called in the list; one that is not there has no meaning here. */
  private nameOf(command: string): string {
    const key = [...this.keys].find(({ dataset }) => dataset.command === command);
    return key?.closest("dt")?.nextElementSibling?.textContent ?? command;
  }

  /** Takes another map, and says what it changes. */
  private use(map: KeyMap): void {
    this.before = this.map;
    this.map = map;
    saveOwnKeys(ownKeys(map, this.usual, loadOwnKeys()));
    this.show();
    const changed = Object.keys(map).filter((command) => map[command] !== this.before![command]);
    this.tell(changed.map((each) => `${this.nameOf(each)}: ${labelOf(each, map)}`).join(". "));
  }

  private show(): void {
    document.documentElement.classList.toggle("keys", areKeysOn());
    for (const key of this.keys) key.textContent = labelOf(key.dataset.command!, this.map);
    this.label(document);
  }

  /** A click, then the new key, which has to be a character; Escape keeps the old one. */
  private makeEditable(key: HTMLElement): void {
    const command = key.dataset.command!;
    let isWaiting = false;
    key.ariaLive = "polite";
    const wait = (isOn: boolean): void => {
      isWaiting = isOn;
      key.classList.toggle("waiting", isOn);
      key.textContent = isOn ? this.dialog.querySelector<HTMLElement>("dl")!.dataset.press! : labelOf(command, this.map);
    };
    key.addEventListener("click", () => this.isChanging && wait(true));
    key.addEventListener("blur", () => wait(false));
    key.addEventListener("keydown", (event) => {
      if (!isWaiting) {
        if (event.key === "Enter" || event.key === " ") key.click();
        return;
      }
      event.preventDefault();
      if (event.key === "Escape" || isCharacter(event)) wait(false);
      if (isCharacter(event)) this.assign(command, event.key.toLowerCase());
    });
  }
}
