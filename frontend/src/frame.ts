// Turns with the browser: timers would wait for four milliseconds and more.

function nextTurn(start: (go: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    start(() => port2.postMessage(0));
  });
}

/** Lets the browser hear keys and paint. */
export const breathe = (): Promise<void> => nextTurn((go) => go());

/** Resolves when the next frame is on the screen. */
export const painted = (): Promise<void> => nextTurn((go) => void requestAnimationFrame(go));

/** Resolves when the browser has nothing else to do; Safari does not tell. */
export const idle = (): Promise<void> =>
  new Promise((resolve) => void ("requestIdleCallback" in globalThis ? requestIdleCallback(() => resolve()) : setTimeout(resolve, 20)));
