// On every page.
import { typeset } from "../math";

void typeset(document).finally(() => document.documentElement.setAttribute("data-typeset", "done"));
