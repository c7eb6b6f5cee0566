// The panel for highlighted words. Its other settings are in look.ts.
import { COLOURS, freeColour, parsed, terms, type Mark } from "./keywords";
import { keepKeys, openNear } from "./popover";

interface Kept {
  marks: Mark[];
  /** Whether the words of the topic's title are marked, too. */
  terms: boolean;
}

export class Panel {
  private readonly name: string;
  private kept: Kept;
  private readonly input: HTMLInputElement;
  private readonly title: readonly string[];

  constructor(
    private readonly box: HTMLElement,
    private readonly opener: HTMLElement,
    private readonly changed: () => void,
  ) {
    this.name = `assess.marks.${document.documentElement.dataset.user}.${box.dataset.campaign}`;
    this.kept = this.read();
    this.input = box.querySelector("input[type=text]")!;
    this.title = terms(titleWords());
    keepKeys(box);
    opener.addEventListener("click", () => openNear(box, opener));
    box.querySelector("form")!.addEventListener("submit", (event) => {
      event.preventDefault();
      this.add();
    });
    const ofTopic = box.querySelector<HTMLInputElement>("input[type=checkbox]")!;
    ofTopic.addEventListener("change", () => this.keep({ ...this.kept, terms: ofTopic.checked }));
    addEventListener("storage", (event) => event.key === this.name && this.take(this.read()));
    this.show();
  }

  get marks(): readonly Mark[] {
    return this.kept.marks;
  }

  get topicTerms(): readonly string[] {
    return this.kept.terms ? this.title : [];
  }

  openWords(): void {
    openNear(this.box, this.opener);
    this.input.focus();
  }

  private read(): Kept {
    return JSON.parse(localStorage.getItem(this.name) ?? "null") ?? { marks: [], terms: false };
  }

  private keep(kept: Kept): void {
    localStorage.setItem(this.name, JSON.stringify(kept));
    this.take(kept);
  }

  private take(kept: Kept): void {
    this.kept = kept;
    this.show();
    this.changed();
  }

  private add(): void {
    const words = parsed(this.input.value);
    const colour = freeColour(this.marks);
    if (!words.length || colour === undefined) return;
    this.input.value = "";
    this.keep({ ...this.kept, marks: [...this.marks, { words, colour }] });
  }

  private show(): void {
    const { box, input } = this;
    box.querySelector("ul")!.replaceChildren(...this.marks.map((mark) => this.chip(mark)));
    box.querySelector<HTMLInputElement>("input[type=checkbox]")!.checked = this.kept.terms;
    input.readOnly = this.marks.length >= COLOURS; // and keeps the focus
    box.querySelector<HTMLElement>("[data-full]")!.hidden = !input.readOnly;
  }

  /** A click removes the words. */
  private chip(mark: Mark): HTMLElement {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = `chip mark-${mark.colour}`;
    button.textContent = mark.words.join(", ");
    button.title = this.box.dataset.remove!;
    button.addEventListener("click", () => {
      this.keep({ ...this.kept, marks: this.marks.filter((other) => other !== mark) });
      this.input.focus();
    });
    item.append(button);
    return item;
  }
}

/** The words of the topic's title, without its formulas. */
function titleWords(): string {
  const title = document.querySelector(".pane.topic h1")!.cloneNode(true) as HTMLElement;
  for (const formula of title.querySelectorAll(".math-container")) formula.replaceWith(" ");
  return title.textContent ?? "";
}
