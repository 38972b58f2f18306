// Thumbnails that fail say why: a header may be sound and the pixels behind it damaged.
(() => {
  const reasonOf = async (url) => {
    const answer = await fetch(url, { headers: { Accept: "application/problem+json" } }).catch(
      () => undefined,
    );
    const problem = answer?.ok ? undefined : await answer?.json().catch(() => undefined);
    return problem?.detail ?? "Its thumbnail did not come.";
  };
  const failed = async (image) => {
    const reason = document.createElement("span");
    reason.className = "reason bad";
    reason.textContent = await reasonOf(image.src);
    const nothing = document.createElement("span");
    nothing.className = "nothing";
    const item = image.closest("li");
    image.replaceWith(nothing);
    item.append(reason);
  };
  for (const image of document.querySelectorAll(".images img")) {
    image.addEventListener("error", () => failed(image), { once: true });
    if (image.complete && image.naturalWidth === 0 && image.currentSrc) void failed(image);
  }
})();
