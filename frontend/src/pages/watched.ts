// Pages that are brought up to date while somebody looks at them.
import { refreshParts } from "../refresh_parts";

const EVERY_MS = 20_000;

setInterval(() => {
  if (document.visibilityState === "visible") void refreshParts();
}, EVERY_MS);
