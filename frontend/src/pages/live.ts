// Pages whose parts are refreshed from the server: hx-* attributes in the templates, nothing evaluated.
import htmx from "htmx.org";

htmx.config.allowEval = false;
htmx.config.includeIndicatorStyles = false;
