// One candidate on the page with its controls.

/** Outcomes and their keys; f for failure, m for (not) matching. */
const KEYS: Record<string, string> = { d: "do_not_know", f: "system_failure", m: "not_matching" };
const NEED_COMMENT = ["do_not_know", "system_failure"];

export class Card {
  readonly radios: HTMLInputElement[];
  readonly comment: HTMLTextAreaElement;
  private readonly time: HTMLInputElement;

  constructor(readonly element: HTMLElement) {
    this.radios = [...element.querySelectorAll<HTMLInputElement>("input[type=radio]")];
    this.comment = element.querySelector("textarea")!;
    this.time = element.querySelector("input[name$=-active_ms]")!;
    element.addEventListener("change", () => this.askForComment());
    this.comment.addEventListener("input", () => this.askForComment());
    this.askForComment();
  }

  get chosen(): string {
    return this.radios.find((radio) => radio.checked)?.value ?? "";
  }

  get isDecided(): boolean {
    return this.chosen !== "";
  }

  has(word: string): boolean {
    return this.radios.some((radio) => radio.value === word);
  }

  outcomeWithKey(key: string): string | undefined {
    const word = KEYS[key];
    return word !== undefined && this.has(word) ? word : undefined;
  }

  choose(word: string): void {
    const radio = this.radios.find((one) => one.value === word)!;
    radio.checked = true;
    radio.dispatchEvent(new Event("input", { bubbles: true }));
    radio.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /** Whether a choice of this word waits for a comment; one that the server has filled in will do. */
  waitsForComment(word: string): boolean {
    const filledIn = this.comment.dataset.filledIn !== undefined && this.comment.value === this.comment.defaultValue;
    return NEED_COMMENT.includes(word) && !filledIn;
  }

  chooseAndComment(word: string): void {
    this.choose(word);
    this.comment.focus();
  }

  addTime(milliseconds: number): void {
    this.time.value = String(Math.round(Number(this.time.value) + milliseconds));
  }

  /** The browser asks for the comment, so that nothing is sent in vain; the server asks too. */
  private askForComment(): void {
    const needed = NEED_COMMENT.includes(this.chosen);
    this.comment.required = needed;
    this.comment.setCustomValidity(needed && !this.comment.value.trim() ? "Please say why in a comment." : "");
  }
}

export function cardsOf(form: HTMLFormElement): Card[] {
  const keyOf = Object.fromEntries(Object.entries(KEYS).map(([key, word]) => [word, key]));
  for (const radio of form.querySelectorAll<HTMLInputElement>(".others input[type=radio]")) {
    radio.parentElement!.querySelector("kbd")!.textContent = keyOf[radio.value] ?? "";
  }
  for (const kbd of document.querySelectorAll<HTMLElement>("[data-key-of]")) {
    kbd.textContent = keyOf[kbd.dataset.keyOf!] ?? "";
  }
  return [...form.querySelectorAll<HTMLElement>("[data-candidate]")].map((element) => new Card(element));
}
