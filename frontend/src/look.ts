// Reading settings: theme, text size, position of the divider. Kept in this browser, the same in all windows.
import { recall, remember } from "./storage/remembered";

type Look = "theme" | "text" | "split";
const DEFAULTS: Readonly<Record<Look, string>> = { theme: "system", text: "1", split: "42" };
const root = document.documentElement;

/** Another window has changed the settings. */
export function onOtherLook(changed: () => void): void {
  addEventListener("storage", ({ key }) => {
    if (key === null || key.replace("assess.", "") in DEFAULTS) changed();
  });
}

export const look = (name: Look): string => recall(`assess.${name}`) ?? DEFAULTS[name];

export function setLook(name: Look, value: string): void {
  remember(`assess.${name}`, value === DEFAULTS[name] ? undefined : value);
  applyLook();
}

/** The style sheet does the rest. */
export function applyLook(): void {
  root.dataset.theme = look("theme");
  root.dataset.text = look("text");
  root.style.setProperty("--split", `${Number(look("split")) || 42}%`);
}

/** Fields with `data-look` show what is chosen, and choose. */
export function bindLook(): void {
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-look]")) {
    const name = field.dataset.look as Look;
    field.value = look(name);
    field.addEventListener("input", () => setLook(name, field.value));
    onOtherLook(() => (field.value = look(name)));
  }
}
