// The picture to zoom in, by OpenSeadragon, of every page that has one; zoom.css is its frame. A script and not a module, since a page names
// each of its scripts by an address that lasts, and fetches it together with OpenSeadragon.
(() => {
  const { OpenSeadragon } = window;
  if (!OpenSeadragon) return;
  const byId = (id) => document.getElementById(id);

  const shared = {
    crossOriginPolicy: "Anonymous",
    drawer: ["canvas"],
    showNavigationControl: false,
    visibilityRatio: 0.6,
    minZoomImageRatio: 0.7,
    gestureSettingsMouse: { scrollToZoom: false },
    animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.8,
  };

  /**
   * Shows a picture in #viewer and lets the buttons in #controls act on it, by their `data-act`. Takes options of OpenSeadragon beside
   * those that all pages share. Returns its viewer, and `setLabel`, which says the name of the picture to those who hear the page.
   */
  window.showZoomable = (options) => {
    // OpenSeadragon adds a style element, which the page's policy refuses, unless one with this mark is there. This one, of no
    // namespace, is not a style sheet; zoom.css has the rule.
    const mobileStyle = document.createElementNS(null, "style");
    mobileStyle.setAttribute("data-openseadragon-mobile-css", "");
    document.head.append(mobileStyle);
    const [stage, place, controls] = ["stage", "viewer", "controls"].map(byId);
    const viewer = OpenSeadragon({ element: place, ...shared, ...options });
    // The wheel scrolls the page until the picture is in use.
    place.addEventListener("pointerdown", () => {
      viewer.gestureSettingsMouse.scrollToZoom = true;
    });
    const acts = {
      in: () => viewer.viewport.zoomBy(1.6),
      out: () => viewer.viewport.zoomBy(1 / 1.6),
      home: () => viewer.viewport.goHome(),
      full: () => (document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen()),
    };
    for (const button of controls.querySelectorAll("button")) {
      if (button.dataset.act === "full" && !document.fullscreenEnabled) button.remove();
      button.addEventListener("click", () => {
        acts[button.dataset.act]();
        viewer.viewport.applyConstraints();
      });
    }
    viewer.canvas.setAttribute("role", "application");
    const { keys = "{name}: arrow keys move, plus and minus zoom, 0 shows all" } = place.dataset;
    const setLabel = (name) =>
      viewer.canvas.setAttribute(
        "aria-label",
        keys.replace("{name}", () => name),
      );
    return { viewer, setLabel };
  };
})();
