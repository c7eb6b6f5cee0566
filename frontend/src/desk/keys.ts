// Single keys: on keydown, never repeated, never with a modifier, never while typing, and only where wanted.

const STORED = "assess.keys";

export function isOn(): boolean {
  return localStorage.getItem(STORED) !== "off";
}

export function setOn(on: boolean): void {
  localStorage.setItem(STORED, on ? "on" : "off");
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("textarea, select, [contenteditable], input:not([type=radio])") !== null;

/** The arrows of a group of radio buttons are the browser's. */
const isArrowInRadios = (event: KeyboardEvent): boolean =>
  event.key.startsWith("Arrow") && event.target instanceof HTMLInputElement;

function isOurs(event: KeyboardEvent): boolean {
  const modified = event.ctrlKey || event.altKey || event.metaKey;
  return !event.repeat && !event.defaultPrevented && !modified && !isTyping(event.target) && !isArrowInRadios(event);
}

/** Wires `press`, which says whether it knew the key, and the list of keys with its switch. */
export function startKeys(
  press: (key: string) => boolean,
  back: () => void,
  initially: boolean,
  remember: (on: boolean) => void,
): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog#keys")!;
  const box = dialog.querySelector<HTMLInputElement>("#keys-on")!;
  const show = (on: boolean): void => void document.documentElement.classList.toggle("keys", on);
  let on = initially;
  box.checked = on;
  show(on);
  box.addEventListener("change", () => {
    on = box.checked;
    show(on);
    remember(on);
  });
  const opener = document.querySelector<HTMLButtonElement>("#keys-open")!;
  opener.hidden = false;
  opener.addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target instanceof HTMLTextAreaElement) {
      event.target.closest<HTMLElement>("[data-candidate]")?.focus();
      return back();
    }
    if (!on || dialog.open || !isOurs(event)) return;
    if (event.key === "?") dialog.showModal();
    else if (!press(event.key)) return;
    event.preventDefault();
  });
}
