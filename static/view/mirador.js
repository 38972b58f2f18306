// Mirador on the manifest of the page.

/* global Mirador */
import { dropProbeServices, redrawAfterLogin, withoutKiosks } from "../viewer/shims/mirador.js";
import { showProblems, showTrouble, startPage } from "./page.js";
import { view } from "./page-data.js";
import { onScreen, toViewer } from "./spread.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => (dark.matches ? "dark" : "light");

function open() {
  const { manifestId, canvasId, language, count, search } = view;
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
    auth: withoutKiosks,
    requests: { postprocessors: [dropProbeServices] },
    // A search would turn to the first page of the book that has the words.
    windows: [{ manifestId, ...(canvasId && { canvasId, switchCanvasOnSearch: !search }) }],
  });
  if (view.xywh) beginWith(store, view.xywh);
  if (search) beginSearch(store, search);
  tellProblems(store);
  redrawAfterLogin(store);
  mendThumbnails(store);
  dark.addEventListener("change", () =>
    store.dispatch({ type: "mirador/UPDATE_CONFIG", config: { selectedTheme: theme() } }),
  );
  return store;
}

/**
 * Searches as a reader does, in the field of the panel. Mirador's panel fails if it is opened while a search is
 * under way, as it is with `defaultSearchQuery`.
 */
function beginSearch(store, search) {
  let hasOpened = false;
  const end = store.subscribe(() => {
    const { windows, companionWindows, manifests } = store.getState();
    const [windowId] = Object.keys(windows);
    const services = [manifests[view.manifestId]?.json?.service ?? []].flat();
    const panel = (windows[windowId]?.companionWindowIds ?? [])
      .map((id) => companionWindows[id])
      .find((each) => each?.position === "left");
    if (hasOpened || !panel || !services.some(({ profile }) => /\/api\/search\/1\/search$/.test(profile)))
      return;
    hasOpened = true;
    // Not while Mirador calls its subscribers.
    setTimeout(() => {
      end();
      const change = (type, id, payload) =>
        store.dispatch({ type: `mirador/${type}`, windowId, id, payload });
      change("UPDATE_COMPANION_WINDOW", panel.id, { content: "search" });
      change("UPDATE_WINDOW", windowId, { sideBarOpen: true });
      new MutationObserver((_, observer) => {
        const field = document.querySelector("#viewer form input");
        if (!field) return;
        observer.disconnect();
        enterText(field, search);
      }).observe(document.querySelector("#viewer"), { childList: true, subtree: true });
    });
  });
}

/** Enters a text into a field of React, which notes the values that it sets itself, and sends its form. */
function enterText(field, text) {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  setTimeout(() => {
    field.form.requestSubmit();
    // Nobody is typing: no completions are wanted.
    field.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  });
}

/** A padlock in the middle of a square. */
const padlock = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-24 -24 72 72" fill="none" stroke="#888" stroke-width="2"><path d="M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4"/></svg>',
)}`;

/**
 * Gives thumbnails that are denied the shape of their pages, and asks for them again once image information
 * has come with a login. Without a picture they would be strips without width.
 */
function mendThumbnails(store) {
  const draw = ({ target }) => {
    if (!(target instanceof HTMLImageElement) || target.src.startsWith("data:")) return;
    target.dataset.denied = target.src;
    target.src = padlock;
    // The width that goes with the height, which Mirador allows at most.
    target.style.width = target.style.maxWidth;
  };
  // Errors of pictures do not bubble.
  document.querySelector("#viewer").addEventListener("error", draw, true);
  let known;
  store.subscribe(() => {
    const { infoResponses } = store.getState();
    if (infoResponses === known) return;
    known = infoResponses;
    if (!Object.values(infoResponses).some(({ json, degraded }) => json && !degraded)) return;
    for (const picture of document.querySelectorAll("#viewer img[data-denied]")) {
      picture.src = picture.dataset.denied;
      delete picture.dataset.denied;
    }
  });
}

/**
 * Shows a region of the first canvas to begin with: Mirador draws when it knows which canvases lie beside
 * that one. It goes back to the whole page if it adds the image again, so this repeats until the reader does
 * something.
 */
function beginWith(store, xywh) {
  const controller = new AbortController();
  const { signal } = controller;
  let begun = false;
  const end = store.subscribe(() => {
    const [windowId, window] = Object.entries(store.getState().windows)[0] ?? [];
    const place = placesOf(store).find(({ canvas }) => canvas.id === view.canvasId);
    if (!place || window.canvasId !== view.canvasId) return;
    const [x, y, width, height] = toViewer(place, xywh);
    const move = (payload) => store.dispatch({ type: "mirador/UPDATE_VIEWPORT", windowId, payload });
    if (!begun) {
      begun = true;
      move({ bounds: [x, y, width, height] });
      return;
    }
    const viewport = Mirador.OSDReferences.get(windowId)?.current?.viewport;
    if (!viewport || !isWhole(store, place) || width >= place.width || height >= place.height) return;
    // Mirador follows bounds once only, and a position that it has to move to in two steps that miss it.
    viewport.fitBounds(Object.assign(viewport.getBounds(), { x, y, width, height }), true);
    const centre = viewport.getCenter();
    move({ x: centre.x, y: centre.y, zoom: viewport.getZoom() });
  });
  signal.addEventListener("abort", end);
  for (const type of ["pointerdown", "wheel", "keydown"])
    addEventListener(type, () => controller.abort(), { capture: true, passive: true, signal });
}

/** True if all of a canvas is known to be on screen. */
function isWhole(store, { canvas }) {
  const { viewers, windows } = store.getState();
  const { canvasId, region } = shown(store);
  return Boolean(viewers[Object.keys(windows)[0]]?.zoom) && canvasId === canvas.id && region === undefined;
}

/** Says of each canvas that is turned to why it has no picture. */
function tellProblems(store) {
  let known;
  store.subscribe(() => {
    const { windows, manifests } = store.getState();
    const visible = Object.values(windows)[0]?.visibleCanvases;
    const items = manifests[view.manifestId]?.json?.items;
    if (!items || !visible || visible === known) return;
    known = visible;
    void showProblems(items.filter(({ id }) => visible.includes(id)));
  });
}

/** Directions in which canvases follow each other, to the right and down. */
const directions = {
  "right-to-left": [-1, 0],
  "top-to-bottom": [0, 1],
  "bottom-to-top": [0, -1],
};

/**
 * Where the canvases on screen lie, as CanvasWorld of Mirador 4.0.0 has it: side by side they are as high as
 * the lowest of them, above each other as wide as the narrowest. None while they are not known.
 */
function placesOf(store) {
  const { windows, manifests } = store.getState();
  const [window] = Object.values(windows);
  const { items = [], viewingDirection } = manifests[view.manifestId]?.json ?? {};
  const canvases = items.filter(({ id }) => window?.visibleCanvases?.includes(id));
  // Sound has no size.
  if (!canvases.every(({ width, height }) => width && height)) return [];
  const [across, down] = directions[window?.viewingDirection ?? viewingDirection] ?? [1, 0];
  const low = Math.min(...canvases.map(({ width, height }) => (down ? width : height)));
  const sizes = canvases.map(({ width, height }) =>
    down
      ? { width: low, height: Math.floor((low * height) / width) }
      : { width: Math.floor((low * width) / height), height: low },
  );
  const total = sizes.reduce((sum, { width, height }) => sum + (down ? height : width), 0);
  let before = 0;
  return canvases.map((canvas, at) => {
    const { width, height } = sizes[at];
    const length = down ? height : width;
    const start = across + down < 0 ? total - before - length : before;
    before += length;
    return { canvas, x: down ? 0 : start, y: down ? start : 0, width, height };
  });
}

/** What the only window shows. */
function shown(store) {
  const { windows, viewers } = store.getState();
  const [window] = Object.values(windows);
  const canvasId = window?.canvasId;
  const screen = viewers[window?.id];
  const frame = document.querySelector(".openseadragon-canvas")?.getBoundingClientRect();
  const places = placesOf(store);
  // Turned canvases are seen otherwise.
  if (places.length === 0 || !screen?.zoom || !frame?.width || screen.rotation || screen.flip)
    return { canvasId };
  const width = 1 / screen.zoom;
  const height = (width * frame.height) / frame.width;
  return onScreen(places, [screen.x - width / 2, screen.y - height / 2, width, height], canvasId);
}

try {
  const store = open();
  const current = () => shown(store);
  startPage(current);
} catch (error) {
  showTrouble();
  throw error;
}
