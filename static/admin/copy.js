// Buttons that copy an address, a command or a text of the page. Without this script they are hidden.
(() => {
  const said = document.getElementById("copied");
  const copy = async (text, link) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Over plain HTTP there is no clipboard of that kind.
      getSelection().selectAllChildren(link);
      return document.execCommand("copy");
    }
  };
  for (const button of document.querySelectorAll("[data-copy], [data-copy-of]")) {
    const shown = document.getElementById(button.dataset.copyOf) ?? button.previousElementSibling;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copy(button.dataset.copy ?? shown.textContent, shown);
      button.textContent = done ? "Copied" : "Selected";
      if (said) said.textContent = done ? "Copied." : "Selected: press Ctrl+C to copy.";
      setTimeout(() => {
        button.textContent = "Copy";
        if (said) said.textContent = "";
      }, 2000);
    });
  }
})();
