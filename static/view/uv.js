// Universal Viewer on the manifest of the page.

/* global UV */
import { loginBar } from "../viewer/shims/login-bar.js";
import { drawAgain, followPages, keepEscapes } from "../viewer/shims/uv.js";
import { showTrouble, startPage, view, within } from "./page.js";

let at = view.canvasIndex ?? 0;
let region = view.xywh;

function open() {
  const { manifestId, canvasId, canvasIndex, xywh, language } = view;
  keepEscapes();
  const uv = UV.init("viewer", {
    iiifManifestId: manifestId,
    locales: [{ name: language }],
    ...(canvasId && { canvasId, canvasIndex }),
    ...(xywh && { xywh: xywh.join(",") }),
  });
  uv.on("configure", ({ cb }) =>
    cb({
      modules: {
        // The page around has these.
        shareDialogue: { options: { embedEnabled: false } },
        footerPanel: { options: { shareEnabled: false, embedEnabled: false } },
        openSeadragonCenterPanel: { options: { requiredStatementEnabled: true } },
      },
    }),
  );
  const bar = loginBar(document.querySelector("#login"), () => drawAgain(uv));
  void followPages(uv, manifestId, bar);
  uv.on("canvasIndexChange", (index) => {
    if (index !== at) region = undefined;
    at = index;
  });
  uv.on("openSeadragonExtension.xywhChange", (xywh) => {
    const numbers = String(xywh).split(",").map(Number);
    region = numbers.length === 4 && numbers.every(Number.isFinite) ? numbers : undefined;
  });
  // The bar comes and goes; the viewer measures its place when the window changes.
  new ResizeObserver(() => dispatchEvent(new Event("resize"))).observe(document.querySelector("#viewer"));
  return uv;
}

try {
  open();
  const manifest = fetch(view.manifestId).then((response) => response.json());
  let items = [];
  void manifest.then((document) => {
    items = document.items ?? [];
  });
  const current = () => {
    const canvas = items[at];
    return { canvasId: canvas?.id ?? view.canvasId, region: canvas && region && within(region, canvas) };
  };
  startPage(current);
} catch (error) {
  showTrouble();
  throw error;
}
