// Buttons that copy an address. Without this script the addresses are links all the same.
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
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copy(button.dataset.copy, button.previousElementSibling);
      button.textContent = done ? "Copied" : "Selected";
      if (said) said.textContent = done ? "Copied." : "Selected: press Ctrl+C to copy.";
      setTimeout(() => {
        button.textContent = "Copy";
        if (said) said.textContent = "";
      }, 2000);
    });
  }
})();
