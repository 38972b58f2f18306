// The zoomable picture of the start page, and the strip that changes it.
(() => {
  const place = document.getElementById("viewer");
  if (!place || !window.OpenSeadragon) return;
  const viewer = window.OpenSeadragon({
    element: place,
    prefixUrl: place.dataset.icons,
    tileSources: place.dataset.info,
    crossOriginPolicy: "Anonymous",
    showNavigator: true,
    visibilityRatio: 0.6,
    minZoomImageRatio: 0.7,
    maxZoomPixelRatio: 3,
    gestureSettingsMouse: { scrollToZoom: false },
    animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.9,
  });
  // The wheel scrolls the page until the picture is in use.
  place.addEventListener("pointerdown", () => {
    viewer.gestureSettingsMouse.scrollToZoom = true;
  });
  const buttons = [...document.querySelectorAll(".strip button")];
  const mark = () => {
    for (const button of buttons)
      button.setAttribute("aria-current", String(button.dataset.info === place.dataset.info));
  };
  for (const button of buttons)
    button.addEventListener("click", () => {
      const { info, name, size } = button.dataset;
      place.dataset.info = info;
      viewer.open(info);
      document.getElementById("name").textContent = name;
      document.getElementById("size").textContent = size;
      document.getElementById("info").href = info;
      document.getElementById("full").href = info.replace(/\/info\.json$/, "/full/max/0/default.jpg");
      mark();
      place.scrollIntoView({ block: "nearest" });
    });
  mark();
})();
