// What a form was refused for is in sight, and forms with files keep them: they are sent by this script, which shows how
// much has been uploaded and puts the refused form in place of the old one, with the chosen files.
import { elementOf, find } from "../find";

const words = find("#sending").dataset as Record<string, string>;

/** Goes to the first field or message that says what is wrong. */
function showRefusal(part: ParentNode): void {
  const wrong = part.querySelector<HTMLElement>("form .field.wrong, form .message.error, .message.error[role=alert]");
  if (!wrong) return;
  for (let fold = wrong.closest("details"); fold; fold = fold.parentElement!.closest("details")) fold.open = true;
  const field = wrong.querySelector<HTMLElement>("input:not([type=hidden]), select, textarea") ?? wrong;
  if (field === wrong) wrong.tabIndex = -1;
  wrong.scrollIntoView({ block: "center" });
  field.focus({ preventScroll: true });
}

function fileInputs(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>("input[type=file]")];
}

function send(form: HTMLFormElement, button: HTMLElement | null): void {
  const request = new XMLHttpRequest();
  const meter = elementOf("progress", "meter");
  meter.ariaLabel = words.uploading!;
  const failed = (): void => {
    meter.remove();
    button?.removeAttribute("aria-busy");
    say(form, words.failed!);
  };
  request.upload.addEventListener("progress", ({ loaded, total }) => Object.assign(meter, { value: loaded, max: total }));
  request.addEventListener("error", failed);
  request.addEventListener("load", () => {
    const type = request.getResponseHeader("Content-Type") ?? "";
    if (type.startsWith("application/json")) return location.assign(JSON.parse(request.responseText).location);
    if (request.status >= 500) return failed();
    meter.remove();
    exchange(form, new DOMParser().parseFromString(request.responseText, "text/html"));
  });
  button?.setAttribute("aria-busy", "true");
  button?.after(meter);
  request.open("POST", form.action);
  request.setRequestHeader("X-Form", "files");
  request.send(new FormData(form, button));
}

/** Puts the form of the answer in place of the one that was sent, or else all of the answer's page. */
function exchange(form: HTMLFormElement, page: Document): void {
  const same = [...page.forms].find(
    (other) => other.enctype === form.enctype && other.getAttribute("action") === form.getAttribute("action"),
  );
  if (!same) {
    find("main").replaceWith(page.querySelector("main")!);
    return showRefusal(document);
  }
  for (const chosen of fileInputs(form)) {
    const fresh = same.querySelector<HTMLInputElement>(`input[type=file][name="${chosen.name}"]`);
    if (!fresh) continue;
    for (const { name, value } of fresh.attributes) chosen.setAttribute(name, value);
    if (!fresh.hasAttribute("aria-invalid")) chosen.removeAttribute("aria-invalid");
    fresh.replaceWith(chosen);
  }
  form.replaceWith(same);
  showRefusal(same);
}

function say(form: HTMLFormElement, text: string): void {
  form.querySelector(".message.unsent")?.remove();
  const note = elementOf("p", "message error unsent", text);
  note.role = "alert";
  form.prepend(note);
  showRefusal(form);
}

addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (event.defaultPrevented || form.enctype !== "multipart/form-data") return;
  if (!fileInputs(form).some((input) => input.files!.length)) return;
  event.preventDefault();
  send(form, event.submitter);
});
if (!document.getElementById("desk")) showRefusal(document);
