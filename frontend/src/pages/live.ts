// Pages whose parts ask the server again by themselves: hx-* attributes in the templates, nothing evaluated.
import htmx from "htmx.org";

htmx.config.allowEval = false;
htmx.config.includeIndicatorStyles = false;
