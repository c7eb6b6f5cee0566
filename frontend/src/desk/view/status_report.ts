// Shows in the status line what was said last, and what is saved.
import { painted } from "../../frame";
import { reportOf, textOf } from "../model/report";
import { REPORT, type Said, type State } from "../model/state";
import { words } from "./page";
import { statusLine } from "./status";

/** So long, in milliseconds, till it is tried again to show a report, and what is on its way to the server is no news. */
const AGAIN = 1000;

export class StatusReport {
  private last = "";
  /** What was done, once it has been said: it stands there again later, and is no news then. */
  private told = "";
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
    if (!text || this.isDone(text)) this.told = text;
    if (this.state.said === said) statusLine.say(text, said.manner, this.state.page.scale.names[said.decided?.word ?? ""]);
  }

  private isDone(text: string): boolean {
    return this.state.done !== undefined && text === textOf(this.state.done, words, this.state.page.scale);
  }

  /** A report that is no news waits until what was said since has been read. */
  private report(isAtOnce: boolean): void {
    const line = reportOf(this.state, words, navigator.onLine);
    const report = JSON.stringify([this.state.outbox, line]);
    clearTimeout(this.timer);
    if (!line) return;
    const { mode, waiting } = this.state.outbox;
    const isOnItsWay = waiting > 0 && (mode === "idle" || mode === "sending");
    const isOld = report === this.last;
    if (!isAtOnce && (isOld || isOnItsWay) && statusLine.isBeingRead(isOld ? undefined : AGAIN)) {
      this.timer = setTimeout(() => this.report(false), AGAIN);
      return;
    }
    this.last = report;
    const [text, manner, decided = ""] = line;
    statusLine.say(text, manner, this.state.page.scale.names[decided], text !== this.told);
    if (this.isDone(text)) this.told = text;
  }
}
