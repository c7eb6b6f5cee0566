// Two questions about a written answer: one key for each choice; when both are answered, it is sent.
const form = document.querySelector<HTMLFormElement>("#two-questions")!;
const isOn = localStorage.getItem("assess.keys") !== "off";

for (const key of form.querySelectorAll<HTMLElement>("kbd")) key.hidden = !isOn;

document.addEventListener("keydown", (event) => {
  if (!isOn || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  const choice = form.querySelector<HTMLInputElement>(`input[data-key="${CSS.escape(event.key)}"]`);
  if (!choice) return;
  event.preventDefault();
  choice.checked = true;
  choice.focus();
  if (form.checkValidity()) form.requestSubmit();
});
