// The status line, and the button beside it.
import { elementOf, find } from "../../find";

/** So long, in milliseconds, it takes to read the line. */
const READING = 5000;

type Badge = readonly [name: string, style: string];

function withBadge(text: string, [name, style]: Badge): (string | Element)[] {
  const [before, after] = text.split(`: ${name}`);
  return after === undefined ? [text] : [`${before}: `, badgeOf(name, style), after];
}

export const badgeOf = (text: string, style: string): HTMLElement => elementOf("span", `badge ${style}`, text);

class StatusLine {
  private readonly line = find("#status");
  private readonly button = find<HTMLButtonElement>("#attend");
  private saidAt = -READING;

  /** `decided`: the name in the text that has the colour and shape of its grade. Screen readers say only what is news. */
  say(text: string, manner = "", decided?: Badge, isNews = true): void {
    if (this.line.textContent !== text) {
      this.line.ariaLive = isNews ? null : "off";
      this.line.replaceChildren(...(decided ? withBadge(text, decided) : [text]));
    }
    this.line.dataset.manner = manner;
    this.saidAt = text ? performance.now() : -READING;
  }

  get text(): string {
    return this.line.textContent!;
  }

  isBeingRead(duration = READING): boolean {
    return performance.now() - this.saidAt < duration;
  }

  /** A button for what the assessor left and may want to see again; none without a text. */
  offer(text = "", open: (() => void) | null = null): void {
    this.button.hidden = text === "";
    this.button.textContent = text;
    this.button.onclick = open;
  }
}

export const statusLine = new StatusLine();
