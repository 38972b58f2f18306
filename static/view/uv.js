// Universal Viewer on the manifest of the page.

/* global UV */
import { loginBar } from "../viewer/shims/login-bar.js";
import { drawAgain, followPages, keepEscapes, leaveOutKiosks } from "../viewer/shims/uv.js";
import { showProblems, showTrouble, startPage } from "./page.js";
import { view } from "./page-data.js";
import { onScreen, toViewer } from "./spread.js";

function open() {
  const { manifestId, canvasId, canvasIndex, language, search } = view;
  keepEscapes();
  leaveOutKiosks();
  const uv = UV.init("viewer", {
    iiifManifestId: manifestId,
    locales: [{ name: language }],
    ...(canvasId && { canvasId, canvasIndex }),
    ...(search && { highlight: search }),
  });
  uv.on("configure", ({ cb }) =>
    cb({
      modules: {
        // The page around has these.
        shareDialogue: { options: { embedEnabled: false } },
        footerPanel: { options: { shareEnabled: false, embedEnabled: false } },
        // A small region fills the screen too, as in Mirador; by default a pixel gets at most 1.25 of the
        // screen's.
        openSeadragonCenterPanel: { options: { requiredStatementEnabled: true, maxZoomPixelRatio: 8 } },
      },
    }),
  );
  const bar = loginBar(document.querySelector("#login"), () => drawAgain(uv));
  void followPages(uv, manifestId, bar);
  if (view.xywh) beginWith(uv, view.xywh);
  mendThumbnails(uv);
  uv.on("canvasIndexChange", (index) => {
    const extension = extensionOf(uv);
    const indices = extension?.getPagedIndices?.(index) ?? [];
    void showProblems(indices.map((each) => extension.helper.getCanvasByIndex(each).__jsonld));
  });
  // The bar comes and goes; the viewer measures its place when the window changes.
  new ResizeObserver(() => dispatchEvent(new Event("resize"))).observe(document.querySelector("#viewer"));
  return uv;
}

/** Shows a region of the first canvas to begin with: where that lies is known when its images are there. */
function beginWith(uv, xywh) {
  let isOpen = false;
  uv.on("openseadragonExtension.open", () => {
    if (isOpen) return;
    isOpen = true;
    const extension = extensionOf(uv);
    const place = placesOf(extension).find(({ canvas }) => canvas.id === view.canvasId);
    // It is read next, in coordinates of all images together.
    if (place) extension.data.xywh = toViewer(place, xywh).join(",");
  });
}

/**
 * Gives thumbnails that do not come the shape of their pages. Universal Viewer asks for a width that a small
 * image does not have; the thumbnail that the manifest names is there.
 */
function mendThumbnails(uv) {
  const viewer = document.querySelector("#viewer");
  const draw = ({ target }) => {
    if (!(target instanceof HTMLImageElement)) return;
    const { items = [] } = extensionOf(uv)?.helper?.manifest?.__jsonld ?? {};
    const named = items
      .flatMap(({ thumbnail = [] }) => thumbnail)
      .find(({ service = [] }) => service.some?.(({ id }) => id && target.src.startsWith(`${id}/`)));
    if (named && named.id !== target.src) target.src = named.id;
    else target.dataset.denied = "";
  };
  // Events of pictures do not bubble.
  viewer.addEventListener("error", draw, true);
  viewer.addEventListener(
    "load",
    ({ target }) => target instanceof HTMLImageElement && delete target.dataset.denied,
    true,
  );
}

/** The extension of Universal Viewer 4.4.0 that shows images. No public member tells where they lie. */
const extensionOf = (uv) => uv._assignedContentHandler?.extension;

/** Where the canvases on screen lie. None while they are not known, or not all of their images are there. */
function placesOf(extension) {
  const world = extension?.centerPanel?.viewer?.world;
  if (!world) return [];
  let count = 0;
  const places = extension.getPagedIndices().map((index) => {
    const canvas = extension.helper.getCanvasByIndex(index);
    const { x, y, width, height } = world.getItemAt(count)?.getBounds() ?? {};
    count += Math.max(1, canvas.getChoices().length);
    return { canvas: canvas.__jsonld, x, y, width, height };
  });
  return count === world.getItemCount() ? places : [];
}

/** What is on screen. */
function shown(uv) {
  const extension = extensionOf(uv);
  const places = placesOf(extension);
  const canvasId = extension?.helper?.getCurrentCanvas()?.id ?? view.canvasId;
  const viewport = extension?.centerPanel?.viewer?.viewport;
  // Turned canvases are seen otherwise.
  if (places.length === 0 || viewport.getRotation() !== 0) return { canvasId };
  const { x, y, width, height } = viewport.getBounds();
  return onScreen(places, [x, y, width, height], canvasId);
}

try {
  const uv = open();
  startPage(() => shown(uv));
} catch (error) {
  showTrouble();
  throw error;
}
