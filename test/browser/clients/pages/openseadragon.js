// OpenSeadragon on the image service that the address names.

/* global OpenSeadragon */
window.viewer = OpenSeadragon({
  id: "viewer",
  tileSources: `${new URLSearchParams(location.search).get("of")}/info.json`,
  showNavigationControl: false,
});
