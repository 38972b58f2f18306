// Universal Viewer on the manifest that the address names, with the shims.

/* global UV */
import { loginBar } from "/shims/login-bar.js";
import { drawAgain, followPages, keepEscapes, leaveOutKiosks, sendCookiesTo } from "/shims/uv.js";

const query = new URLSearchParams(location.search);
const iiifManifestId = new URL(query.get("manifest"), location.href).href;
sendCookiesTo(query.get("images"));
keepEscapes();
leaveOutKiosks();
const uv = UV.init("viewer", { iiifManifestId });
const bar = loginBar(document.querySelector("#login"), () => drawAgain(uv));
followPages(uv, iiifManifestId, bar);
// The bar appears and disappears; the viewer measures its area when the window changes.
new ResizeObserver(() => window.dispatchEvent(new Event("resize"))).observe(
  document.querySelector("#viewer"),
);
