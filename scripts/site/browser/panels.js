// On a narrow screen the contents cover the page; a link within the page closes them.
for (const panel of document.querySelectorAll("[popover]"))
  panel.addEventListener("click", (event) => {
    if (event.target.closest("a") && panel.matches(":popover-open")) panel.hidePopover();
  });
