// Charts in the figures of a page. Screen readers get the same numbers from the table beside each.
import { save } from "./figure_files";

export type Chart = SVGSVGElement | HTMLElement;

/** The data that the page holds under this id; null if it has none. */
export function json<Data>(id: string): Data | null {
  const source = document.getElementById(id)?.textContent;
  return source ? (JSON.parse(source) as Data) : null;
}

/** How much room a chart needs for the longest of these names beside it, in pixels of its font. */
export function roomFor(names: string[]): number {
  const context = document.createElement("canvas").getContext("2d")!;
  context.font = `12px ${getComputedStyle(document.documentElement).getPropertyValue("--sans")}`;
  return Math.ceil(Math.max(0, ...names.map((name) => context.measureText(name).width)));
}

/** Shows the charts in a figure; its buttons save the first as a file of this name. */
export function show(figure: HTMLElement | null, charts: Chart[], name = ""): void {
  if (!figure || !charts.length) return;
  figure.hidden = false;
  for (const chart of charts) chart.setAttribute("aria-hidden", "true");
  for (const link of charts.flatMap((chart) => [...chart.querySelectorAll("a")])) {
    link.setAttribute("tabindex", "-1"); // the table has the same links
    if (!link.getAttribute("href")) link.removeAttribute("href");
  }
  figure.querySelector(".plots")!.replaceChildren(...charts);
  for (const button of figure.querySelectorAll<HTMLButtonElement>("[data-save]")) {
    button.addEventListener("click", () => void save(charts[0] as SVGSVGElement, button.dataset.save!, name));
  }
}
