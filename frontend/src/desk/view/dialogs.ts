// Dialogs: one at a time, and what they answer.

export const dialog = (id: string): HTMLDialogElement => document.querySelector<HTMLDialogElement>(`dialog#${id}`)!;

let last: Promise<unknown> = Promise.resolve();

/** Dialogs wait for each other. */
export function inTurn<Result>(ask: () => Promise<Result>): Promise<Result> {
  const result = last.then(ask);
  last = result.catch(() => undefined);
  return result;
}

/** Opens a dialog. The answer is the value of its button, or empty if it was left with Escape. */
export function answerOf(box: HTMLDialogElement): Promise<string> {
  const answer = closed(box);
  box.showModal();
  return answer;
}

export function closed(box: HTMLDialogElement): Promise<string> {
  box.returnValue = "";
  return new Promise((resolve) => box.addEventListener("close", () => resolve(box.returnValue), { once: true }));
}
