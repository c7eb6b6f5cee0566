// Pages whose parts are refreshed from the server: hx-* attributes in the templates, nothing evaluated.
import htmx from "htmx.org";

htmx.config.allowEval = false;
htmx.config.includeIndicatorStyles = false;

// Once an answer leads away, nothing more is asked: on a slow network each further answer would begin the way anew.
let isLeaving = false;
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { xhr } = (event as CustomEvent<{ xhr: XMLHttpRequest }>).detail;
  isLeaving ||= ["HX-Redirect", "HX-Refresh"].some((name) => xhr.getResponseHeader(name) !== null);
});
document.addEventListener("htmx:beforeRequest", (event) => {
  if (isLeaving) event.preventDefault();
});
