// Mirador on the manifest of the page.

/* global Mirador */
import { dropProbeServices, redrawAfterLogin } from "../viewer/shims/mirador.js";
import { showTrouble, startPage, view, within } from "./page.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => (dark.matches ? "dark" : "light");

function open() {
  const { manifestId, canvasId, xywh, language, count } = view;
  const { store } = Mirador.viewer({
    id: "viewer",
    language,
    selectedTheme: theme(),
    workspace: { type: "mosaic", showZoomControls: true, allowNewWindows: false },
    workspaceControlPanel: { enabled: false },
    window: {
      allowClose: false,
      allowMaximize: false,
      allowTopMenuButton: true,
      allowFullscreen: true,
      sideBarOpen: false,
      hideWindowTitle: !view.embedded,
    },
    thumbnailNavigation: {
      defaultPosition: count > 1 && innerHeight > 500 ? "far-bottom" : "off",
    },
    requests: { postprocessors: [dropProbeServices] },
    windows: [
      { manifestId, ...(canvasId && { canvasId }), ...(xywh && { initialViewerConfig: { bounds: xywh } }) },
    ],
  });
  redrawAfterLogin(store);
  loadThumbnailsAfterLogin(store);
  dark.addEventListener("change", () =>
    store.dispatch({ type: "mirador/UPDATE_CONFIG", config: { selectedTheme: theme() } }),
  );
  return store;
}

/** Asks again for thumbnails that were denied, once image information has come with a login. */
function loadThumbnailsAfterLogin(store) {
  let known;
  store.subscribe(() => {
    const { infoResponses } = store.getState();
    if (infoResponses === known) return;
    known = infoResponses;
    if (!Object.values(infoResponses).some(({ json, degraded }) => json && !degraded)) return;
    for (const picture of document.querySelectorAll("#viewer img"))
      if (picture.complete && picture.naturalWidth === 0) picture.src = `${picture.src}`;
  });
}

/** What the only window shows. */
function shown(store) {
  const { windows, viewers, manifests } = store.getState();
  const [window] = Object.values(windows);
  const canvasId = window?.canvasId;
  const canvas = manifests[view.manifestId]?.json?.items?.find(({ id }) => id === canvasId);
  const screen = viewers[window?.id];
  const frame = document.querySelector(".openseadragon-canvas")?.getBoundingClientRect();
  // Several canvases may stand side by side, in coordinates that are not those of one of them; turned ones are seen otherwise.
  const isAlone = window?.visibleCanvases?.length === 1 && !screen?.rotation && !screen?.flip;
  if (!canvas || !screen?.zoom || !frame?.width || !isAlone) return { canvasId };
  const width = 1 / screen.zoom;
  const height = (width * frame.height) / frame.width;
  const corner = [screen.x - width / 2, screen.y - height / 2];
  return { canvasId, region: within([...corner, width, height], canvas) };
}

try {
  const store = open();
  const current = () => shown(store);
  startPage(current);
} catch (error) {
  showTrouble();
  throw error;
}
