// Dialogs: one at a time, and what they answer.

export const dialog = (id: string): HTMLDialogElement => document.querySelector<HTMLDialogElement>(`dialog#${id}`)!;

/** Dialogs wait for each other. */
class DialogQueue {
  private last: Promise<unknown> = Promise.resolve();

  ask<Result>(ask: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(ask);
    this.last = result.catch(() => undefined);
    return result;
  }
}

export const dialogQueue = new DialogQueue();

/** Opens a dialog. The answer is the value of its button, or empty if it was left with Escape. */
export function answerOf(box: HTMLDialogElement): Promise<string> {
  box.returnValue = "";
  return new Promise((resolve) => {
    box.addEventListener("close", () => resolve(box.returnValue), { once: true });
    box.showModal();
  });
}
