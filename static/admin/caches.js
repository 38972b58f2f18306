// The question before a folder is purged or a cache is emptied. Without this script a box has to be ticked.
for (const form of document.querySelectorAll("form[data-confirm]")) {
  const dialog = document.getElementById(form.dataset.confirm);
  if (!dialog?.showModal) continue;
  const box = form.querySelector(".confirm input");
  box.required = false;
  box.closest(".confirm").hidden = true;
  let confirmed = false;
  form.addEventListener("submit", (event) => {
    if (confirmed) return;
    event.preventDefault();
    const field = form.querySelector("select, input:not([type])");
    const entered = field.selectedOptions?.[0]?.dataset.about ?? field.value.trim().replace(/\/+$/, "");
    const about = dialog.querySelector("[data-about]");
    about.textContent = about.dataset.about.replace("{}", () => entered);
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "confirmed") return;
    confirmed = true;
    form.requestSubmit();
  });
}
