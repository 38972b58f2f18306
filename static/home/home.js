// The zoomable picture of the start page, and the pictures to choose from.
(() => {
  const place = document.getElementById("viewer");
  const controls = document.getElementById("controls");
  if (!place || !window.OpenSeadragon) return;
  const { base } = place.dataset;
  const address = (id, version, rest) => `${base}/iiif/${version}/${id}${rest}`;
  const viewer = window.OpenSeadragon({
    element: place,
    tileSources: address(place.dataset.id, 3, "/info.json"),
    crossOriginPolicy: "Anonymous",
    drawer: ["canvas"],
    showNavigationControl: false,
    showNavigator: place.clientWidth >= 640,
    navigatorPosition: "BOTTOM_RIGHT",
    navigatorSizeRatio: 0.16,
    visibilityRatio: 0.6,
    minZoomImageRatio: 0.7,
    maxZoomPixelRatio: 3,
    gestureSettingsMouse: { scrollToZoom: false },
    animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.8,
  });
  // The wheel scrolls the page until the picture is in use.
  place.addEventListener("pointerdown", () => {
    viewer.gestureSettingsMouse.scrollToZoom = true;
  });
  const label = (name) =>
    viewer.canvas.setAttribute("aria-label", `${name}: arrow keys move, plus and minus zoom, 0 shows all`);
  viewer.canvas.setAttribute("role", "application");
  label(document.getElementById("name").textContent);

  const acts = {
    in: () => viewer.viewport.zoomBy(1.6),
    out: () => viewer.viewport.zoomBy(1 / 1.6),
    home: () => viewer.viewport.goHome(),
    full: () =>
      document.fullscreenElement ? document.exitFullscreen() : place.parentElement.requestFullscreen(),
  };
  for (const button of controls.querySelectorAll("button")) {
    if (button.dataset.act === "full" && !document.fullscreenEnabled) button.remove();
    button.addEventListener("click", () => {
      acts[button.dataset.act]();
      viewer.viewport.applyConstraints();
    });
  }
  controls.hidden = false;

  const buttons = [...document.querySelectorAll(".strip button")];
  const mark = () => {
    for (const button of buttons) {
      const current = button.dataset.id === place.dataset.id;
      if (current) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  };
  for (const button of buttons)
    button.addEventListener("click", () => {
      const { id, name, size, large } = button.dataset;
      place.dataset.id = id;
      viewer.open(address(id, 3, "/info.json"));
      label(name);
      document.getElementById("name").textContent = name;
      document.getElementById("size").textContent = size;
      for (const link of document.querySelectorAll("a[data-rest]"))
        link.textContent = link.href = address(id, link.dataset.version, link.dataset.rest);
      const largeLink = document.getElementById("large");
      largeLink.textContent = largeLink.href = large;
      mark();
      place.scrollIntoView({ block: "nearest" });
    });
  mark();
})();
