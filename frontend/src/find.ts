/** An element that the page is known to have. */
export const find = <Kind extends HTMLElement>(selector: string): Kind => document.querySelector<Kind>(selector)!;
