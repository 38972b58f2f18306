// A button at each block of code that copies it. Over plain HTTP browsers offer no clipboard, so there is no
// button.

const status = document.createElement("p");
status.role = "status";
status.className = "unseen";

/** Copies the text of an element, or selects it if the reader or the browser refuses the clipboard. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return false;
  }
}

for (const block of navigator.clipboard ? document.querySelectorAll(".code") : []) {
  const code = block.querySelector("code");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.ariaLabel = `Copy ${code.textContent.trim().split("\n")[0]}`;
  button.addEventListener("click", async () => {
    const done = await copy(code);
    button.textContent = done ? "Copied" : "Selected";
    status.textContent = done ? "Copied." : "Selected: press Ctrl+C to copy.";
    setTimeout(() => {
      button.textContent = "Copy";
      status.textContent = "";
    }, 2000);
  });
  block.append(button);
}
if (navigator.clipboard) document.querySelector("main").append(status);
