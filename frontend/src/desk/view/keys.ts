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

const isOurs = (event: KeyboardEvent): boolean =>
  !(event.repeat || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) &&
  !isTyping(event.target) &&
  !ownsArrows(event) &&
  document.querySelector("dialog[open]") === null;

/** The command of a key that was pressed, if it has one. */
export const pressedCommand = (event: KeyboardEvent, map: KeyMap): string | undefined =>
  isOurs(event) ? commandFor(event, map) : undefined;

const isCharacter = ({ key }: KeyboardEvent): boolean => key.trim().length === 1;

/** The keys of the desk, and the dialog that lists them. */
export class Keys {
  private readonly usual: KeyMap;
  private map: KeyMap;
  private readonly dialog = document.querySelector<HTMLDialogElement>("dialog#keys")!;
  private readonly list = this.dialog.querySelector<HTMLElement>(".key-list")!;
  private readonly said = this.dialog.querySelector<HTMLElement>("[role=status]")!;
  private readonly changer = this.dialog.querySelector<HTMLButtonElement>("#keys-change")!;
  private readonly resetter = this.dialog.querySelector<HTMLButtonElement>("#keys-reset")!;
  private isChanging = false;
  private readonly keys = this.dialog.querySelectorAll<HTMLElement>("kbd[data-command]");

  constructor(
    scale: Scale,
    private readonly act: (command: string, since: number) => void,
  ) {
    this.usual = keysOf(scale);
    this.map = keysOf(scale, loadOwnKeys());
  }

  listen(): void {
    const box = this.dialog.querySelector<HTMLInputElement>("#keys-on")!;
    box.checked = areKeysOn();
    box.addEventListener("change", () => {
      switchKeys(box.checked);
      this.show();
    });
    this.changer.addEventListener("click", () => this.change(!this.isChanging));
    this.dialog.addEventListener("close", () => this.change(false));
    this.resetter.addEventListener("click", () => {
      this.use(this.usual);
      this.said.textContent = this.list.dataset.reset!;
    });
    for (const key of this.keys) this.makeEditable(key);
    const opener = document.querySelector<HTMLButtonElement>("#keys-open")!;
    opener.hidden = false;
    opener.addEventListener("click", () => this.open());
    document.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("assess:mounted", (event) => this.label((event as CustomEvent<Element>).detail));
    this.show();
  }

  open(): void {
    this.dialog.showModal();
  }

  /** Shows the keys on the buttons below `root`. */
  private label(root: ParentNode): void {
    for (const key of root.querySelectorAll<HTMLElement>("kbd[data-key-of]")) {
      key.textContent = labelOf(commandOf(key.dataset.keyOf!), this.map);
    }
  }

  private press(event: KeyboardEvent): void {
    if (!areKeysOn() || !isOurs(event)) return;
    const command = commandFor(event, this.map);
    if (command === undefined && !isCharacter(event)) return;
    if (command !== undefined) event.preventDefault();
    this.act(command ?? "unknown", event.timeStamp);
  }

  /** Keys can be changed only while this says so: a key meant for a document changes none. */
  private change(isOn: boolean): void {
    this.isChanging = isOn;
    const { change, done, choose } = this.list.dataset;
    this.changer.textContent = (isOn ? done : change)!;
    this.said.textContent = isOn ? choose! : "";
    this.resetter.hidden = !isOn;
    for (const key of this.keys) {
      key.role = isOn ? "button" : null;
      if (isOn) key.tabIndex = 0;
      else key.removeAttribute("tabindex");
    }
  }

  private assign(command: string, key: string): void {
    const other = holderOf(this.map, key);
    this.use(remapped(this.map, command, key));
    const changed = [command, ...(other && other !== command ? [other] : [])];
    this.said.textContent = changed.map((each) => `${this.nameOf(each)}: ${labelOf(each, this.map)}`).join(". ");
  }

  /** What a command is called in the list; one that is not there has no meaning here. */
  private nameOf(command: string): string {
    const key = [...this.keys].find(({ dataset }) => dataset.command === command);
    return key?.closest("dt")?.nextElementSibling?.textContent ?? command;
  }

  private use(map: KeyMap): void {
    this.map = map;
    saveOwnKeys(ownKeys(map, this.usual, loadOwnKeys()));
    this.show();
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
      key.textContent = isOn ? this.list.dataset.press! : labelOf(command, this.map);
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
