// The status line, and the button beside it.
import { find } from "../../find";

/** So long, in milliseconds, it takes to read the line. */
const READING = 5000;

class StatusLine {
  private readonly line = find("#status");
  private readonly button = find<HTMLButtonElement>("#attend");
  private saidAt = -READING;

  say(text: string, manner = ""): void {
    if (this.line.textContent !== text) this.line.textContent = text;
    this.line.dataset.manner = manner;
    this.saidAt = text ? performance.now() : -READING;
  }

  get text(): string {
    return this.line.textContent!;
  }

  get isBeingRead(): boolean {
    return performance.now() - this.saidAt < READING;
  }

  /** A button for what the assessor left and may want to see again; none without a text. */
  offer(text = "", open: (() => void) | null = null): void {
    this.button.hidden = text === "";
    this.button.textContent = text;
    this.button.onclick = open;
  }
}

export const statusLine = new StatusLine();
