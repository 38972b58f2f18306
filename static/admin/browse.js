// Thumbnails, each of which is requested once, when it comes into view. If it fails, its response says why: a
// header may be sound and the pixels behind it damaged.
(() => {
  const show = async (place) => {
    const headers = { Accept: "image/*, application/problem+json" };
    const response = await fetch(place.dataset.thumbnail, { headers }).catch(() => undefined);
    if (!response?.ok) {
      const problem = await response?.json().catch(() => undefined);
      const reason = document.createElement("span");
      reason.className = "reason bad";
      reason.textContent = problem?.detail ?? "Its thumbnail did not come.";
      place.closest("li").append(reason);
      return;
    }
    const image = new Image();
    image.alt = "";
    image.src = URL.createObjectURL(await response.blob());
    image.addEventListener("load", () => URL.revokeObjectURL(image.src), { once: true });
    place.replaceWith(image);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        void show(target);
      }
    },
    { rootMargin: "400px" },
  );
  for (const place of document.querySelectorAll("[data-thumbnail]")) observer.observe(place);
})();
