// On every page.
import { typeset } from "../math";

/** A page with an address for one of its places opens there: that place is set first, and is led to again when
 * everything has its size, unless the reader has gone elsewhere by then. */
async function setPage(): Promise<void> {
  const target = document.getElementById(location.hash.slice(1));
  let isReading = false;
  for (const sign of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    addEventListener(sign, () => (isReading = true), { once: true, passive: true });
  }
  const around = target?.closest("article");
  if (around) await typeset(around);
  await typeset(document);
  if (target && !isReading) target.scrollIntoView();
}

void setPage().finally(() => document.documentElement.setAttribute("data-typeset", "done"));
