/** An element that the page is known to have. */
export const find = <Kind extends HTMLElement>(selector: string): Kind => document.querySelector<Kind>(selector)!;

/** A new element. */
export function elementOf<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, className = "", text = ""): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), { className, textContent: text });
}
