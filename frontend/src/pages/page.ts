// On every page.
import { lastKept, startOutbox } from "../desk/sync/sender";
import { address } from "../desk/sync/server";
import { BrowserStore, hasStore } from "../desk/sync/store";
import { find } from "../find";
import { scrolls } from "../fitting";
import { refreshParts } from "../refresh_parts";
import { bindLook } from "../look";
import { typeset } from "../math";
import "./refusals";

/** Posts and rows of lists. If there are many, each is typeset as the reader comes near; until then formulas are MathML. */
const [POSTS, MANY] = [".thread-post, .linked, .data tr", 20];

/** How many windows a post is above or below what is in sight: the nearest is typeset first, also after a jump. */
function screensAway(post: Element): number {
  const { top, bottom } = post.getBoundingClientRect();
  return Math.max(top - innerHeight, -bottom, 0) / innerHeight;
}

function typesetWhenNear(posts: Iterable<Element>): void {
  const watch = new IntersectionObserver(
    (seen) => {
      for (const { target } of seen.filter((entry) => entry.isIntersecting)) {
        watch.unobserve(target);
        void typeset(target, () => screensAway(target)).finally(() => target.classList.remove("waiting"));
      }
    },
    { rootMargin: "100% 0px" },
  );
  for (const post of posts) {
    post.classList.add("waiting");
    watch.observe(post);
  }
}

/** If the address names an element of the page, that is typeset first, and scrolled to again when everything has its size,
 * unless the reader has gone elsewhere by then. */
async function setPage(): Promise<void> {
  const target = document.getElementById(location.hash.slice(1));
  let isReading = false;
  for (const sign of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    addEventListener(sign, () => (isReading = true), { once: true, passive: true });
  }
  const around = target?.closest("article");
  if (around) await typeset(around);
  const posts = document.querySelectorAll(POSTS);
  const isLong = posts.length > MANY;
  if (isLong) typesetWhenNear(posts);
  await typeset(document, undefined, (all) => all.filter((formula) => !isLong || !formula.closest(POSTS)));
  if (target && !isReading) target.scrollIntoView();
}

/** What is too wide and scrolls sideways gets the focus, so that keys scroll it, too. */
function focusScrolling(): void {
  for (const box of document.querySelectorAll<HTMLElement>(".scroll, .post pre, .post table, math.native")) {
    if (scrolls(box)) box.tabIndex = 0;
  }
}

bindLook();
/** A form that is being sent shows that at its button, since the answer may take seconds. */
addEventListener("submit", (event) => {
  if (!event.defaultPrevented) event.submitter?.setAttribute("aria-busy", "true");
});
/** After the browser's back button the page is as it was before. */
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
});
void setPage().finally(() => {
  focusScrolling();
  document.documentElement.setAttribute("data-typeset", "done");
});
for (const event of ["resize", "toggle"]) addEventListener(event, focusScrolling, true);

/** Judgments that still wait in this browser are sent from any page that their assessor opens. What that page shows of
 * them is fetched again when all are sent; so is what was saved while the page was on its way. */
async function sendWhatWaits(user: string, note: HTMLElement, undecided: HTMLAnchorElement): Promise<void> {
  if (!(await hasStore(user))) return;
  let [asked, isSending] = [Date.now() - performance.now(), true];
  const catchUp = (): void => {
    if (lastKept(user) < asked || isSending || document.visibilityState !== "visible") return;
    asked = Date.now();
    void refreshParts();
  };
  document.addEventListener("visibilitychange", catchUp);
  addEventListener("pageshow", catchUp);
  await startOutbox(user, await BrowserStore.of(user), () => ({
    answered: (_, { kind }) => {
      if (kind === "kept") asked = 0; // another window's mark may come later
    },
    changed: (waiting) => {
      const unkept = waiting.filter(({ problem }) => problem !== undefined);
      isSending = unkept.length < waiting.length;
      count(note, waiting.length - unkept.length);
      count(undecided, unkept.length);
      if (unkept[0]) undecided.href = address(unkept[0].message.assignment, unkept[0].message.place);
      catchUp();
    },
  }));
}

/** Shows how many there are; nothing if there are none. */
function count(element: HTMLElement, number: number): void {
  element.hidden = number === 0;
  element.textContent = `${number} ${number === 1 ? element.dataset.one : element.dataset.many}`;
}

const { user } = document.documentElement.dataset;
const note = document.getElementById("waiting");
if (user && note) void sendWhatWaits(user, note, find<HTMLAnchorElement>("#undecided"));
