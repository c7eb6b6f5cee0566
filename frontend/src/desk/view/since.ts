// How long ago something was, in the words of the page's language.
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]] as const;

const format = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "always" });

/** `at`: by the clock of the page. */
export function since(at: number): string {
  const seconds = Math.max(1, Math.round((performance.now() - at) / 1000));
  const [unit, length] = UNITS.find(([, least]) => seconds >= least)!;
  return format.format(-Math.floor(seconds / length), unit);
}
