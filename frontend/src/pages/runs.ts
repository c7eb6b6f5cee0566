// Several runs without a table are described in one on the page, which is sent as if it were a file.
import { elementOf, find } from "../find";

const COLUMNS = ["team", "kind", "pool_role"]; // each file has its own
const SHARED = ["method", "data", "answers", "order", "format"]; // the fields below the table
const several = find("#several");

function field<Of extends HTMLElement = HTMLSelectElement>(name: string): Of | null {
  return document.querySelector<Of>(`#id_${name}`);
}

/** The files that are asked about: none if a table or an archive says it. */
function files(): File[] {
  const chosen = [...field<HTMLInputElement>("run_files")!.files!];
  const isSaid = field<HTMLInputElement>("table")!.files!.length > 0 || chosen.some(({ name }) => /\.(zip|tar|tgz|tar\.gz)$/i.test(name));
  return chosen.length < 2 || isSaid ? [] : chosen;
}

function cell(file: File, name: string): HTMLElement {
  const like = field(name)!;
  const input = like.cloneNode(true) as HTMLInputElement | HTMLSelectElement;
  for (const attribute of ["id", "name", "aria-describedby", "aria-invalid"]) input.removeAttribute(attribute);
  Object.assign(input, { value: like.value, required: name === "team" });
  input.setAttribute("aria-label", `${like.labels?.[0]?.firstChild?.textContent?.trim()}: ${file.name}`);
  const td = elementOf("td");
  td.append(input);
  return td;
}

function ask(): void {
  const rows = files().map((file) => {
    const row = elementOf("tr");
    const head = Object.assign(elementOf("th", "", file.name), { scope: "row" });
    row.append(head, ...COLUMNS.map((name) => cell(file, name)));
    return row;
  });
  several.querySelector("tbody")!.replaceChildren(...rows);
  show();
}

/** In the form that is there: a refused one is replaced. What each file has of its own is not asked for all. */
function show(): void {
  const [place, isAsked] = [find("#several"), several.querySelector("tbody tr") !== null];
  if (place !== several) place.replaceWith(several);
  several.hidden = !isAsked;
  for (const name of ["name", ...COLUMNS]) field(name)!.closest<HTMLElement>(".field")!.hidden = isAsked;
}

document.addEventListener("change", ({ target }) => {
  if (["id_run_files", "id_table"].includes((target as Element).id)) ask();
});
document.addEventListener("formdata", ({ formData }) => {
  const rows = [...several.querySelectorAll("tbody tr")];
  if (!rows.length) return;
  const shared = SHARED.filter((name) => field(name));
  const lines = rows.map((row) => [
    row.querySelector("th")!.textContent,
    ...[...row.querySelectorAll<HTMLInputElement>("input, select")].map(({ value }) => value.trim()),
    ...shared.map((name) => field(name)!.value),
  ]);
  const table = [["file", ...COLUMNS, ...shared], ...lines].map((line) => line.join("\t")).join("\n");
  formData.set("table", new File([table], "runs.tsv"));
});
new MutationObserver(show).observe(find("main"), { childList: true, subtree: true });
