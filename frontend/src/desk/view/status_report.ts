// Shows in the status line what was said last, and what is saved.
import { painted } from "../../frame";
import { reportOf, textOf } from "../model/report";
import { REPORT, type Said, type State } from "../model/state";
import { words } from "./page";
import { statusLine } from "./status";

/** So long, in milliseconds, till it is tried again to show a report. */
const AGAIN = 1000;

export class StatusReport {
  private last = "";
  private timer = 0;

  constructor(private state: State) {}

  show(state: State, before: State): void {
    this.state = state;
    if (state.said === before.said) {
      if (state.outbox !== before.outbox) this.report(false);
    } else if (state.said.word === REPORT) {
      statusLine.say("");
      this.report(true);
    } else {
      void this.say(state.said);
    }
  }

  /** What is said again disappears first, so that it is seen and heard. */
  private async say(said: Said): Promise<void> {
    const text = textOf(said, words, this.state.page.scale);
    if (text && text === statusLine.text) {
      statusLine.say("");
      await painted();
    }
    if (this.state.said === said) statusLine.say(text, said.manner, this.state.page.scale.names[said.decided?.word ?? ""]);
  }

  /** A report that is no news waits until what was said since has been read. */
  private report(isAtOnce: boolean): void {
    const line = reportOf(this.state, words, navigator.onLine);
    const report = JSON.stringify([this.state.outbox, line]);
    clearTimeout(this.timer);
    if (!line) return;
    if (!isAtOnce && report === this.last && statusLine.isBeingRead) {
      this.timer = setTimeout(() => this.report(false), AGAIN);
      return;
    }
    this.last = report;
    const [text, manner, decided = ""] = line;
    statusLine.say(text, manner, this.state.page.scale.names[decided]);
  }
}
