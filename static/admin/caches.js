// The question before a cache is emptied. Without this script a box has to be ticked instead.
(() => {
  const form = document.querySelector("form[data-confirm]");
  const dialog = form && document.getElementById(form.dataset.confirm);
  if (!dialog?.showModal) return;
  const box = form.querySelector(".confirm input");
  box.required = false;
  box.closest(".confirm").hidden = true;
  let confirmed = false;
  form.addEventListener("submit", (event) => {
    if (confirmed) return;
    event.preventDefault();
    const [chosen] = form.elements.namedItem("cache").selectedOptions;
    const { entries } = chosen.dataset;
    dialog.querySelector("[data-about]").textContent =
      `The cache ${chosen.value} ${entries === undefined ? "loses all its entries." : `loses ${entries} ${entries === "1" ? "entry" : "entries"}.`}`;
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "empty") return;
    confirmed = true;
    form.requestSubmit();
  });
})();
