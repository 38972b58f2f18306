// The picture to zoom in, by OpenSeadragon. Its tiles come as for any reader: what is gated for this browser does not.
void (async () => {
  const byId = (id) => document.getElementById(id);
  const [stage, place, trouble, controls] = ["stage", "viewer", "trouble", "controls"].map(byId);
  if (!place || !window.OpenSeadragon) return;
  const { address, name } = place.dataset;

  const instead = (reason) => {
    place.hidden = true;
    controls.parentElement.hidden = true;
    stage.hidden = false;
    trouble.hidden = false;
    trouble.textContent = `This image cannot be shown. ${reason}`;
  };
  const ask = (url) =>
    fetch(url, { headers: { Accept: "application/json, application/problem+json" } }).catch(() => undefined);
  const detailOf = async (answer) =>
    (await answer?.json().catch(() => undefined))?.detail ?? "The service does not answer.";

  const answer = await ask(`${address}/info.json`);
  if (!answer?.ok) return instead(await detailOf(answer));
  // Its id is the public address, which may be of another host than this page: the policy of the page lets its own alone be asked.
  const info = { ...(await answer.json()), id: new URL(address, location.href).href };

  // OpenSeadragon adds a style element, which the page's policy refuses, unless one with this mark is there. This one, of no
  // namespace, is not a style sheet; image.css has the rule.
  const mobileStyle = document.createElementNS(null, "style");
  mobileStyle.setAttribute("data-openseadragon-mobile-css", "");
  document.head.append(mobileStyle);
  stage.hidden = false;
  const viewer = window.OpenSeadragon({
    element: place,
    tileSources: info,
    crossOriginPolicy: "Anonymous",
    drawer: ["canvas"],
    showNavigationControl: false,
    visibilityRatio: 0.6,
    minZoomImageRatio: 0.7,
    maxZoomPixelRatio: 4,
    gestureSettingsMouse: { scrollToZoom: false },
    animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.8,
  });
  // The wheel scrolls the page until the picture is in use.
  place.addEventListener("pointerdown", () => {
    viewer.gestureSettingsMouse.scrollToZoom = true;
  });
  viewer.canvas.setAttribute("role", "application");
  viewer.canvas.setAttribute("aria-label", `${name}: arrow keys move, plus and minus zoom, 0 shows all`);

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

  let drawn = false;
  viewer.addHandler("tile-loaded", () => {
    drawn = true;
  });
  viewer.addHandler("tile-load-failed", async ({ tile }) => {
    if (drawn) return;
    const failed = await ask(tile.getUrl());
    if (!failed?.ok && !drawn) instead(await detailOf(failed));
  });
})();
