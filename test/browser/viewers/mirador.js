// Mirador on the manifest that the address names, with the shims.

/* global Mirador */
import { dropProbeServices, redrawAfterLogin, withoutKiosks } from "/shims/mirador.js";

const manifestId = new URL(new URLSearchParams(location.search).get("manifest"), location.href).href;
const viewer = Mirador.viewer({
  id: "viewer",
  language: "en",
  workspace: { type: "mosaic", allowNewWindows: false },
  workspaceControlPanel: { enabled: false },
  window: { allowClose: false, allowMaximize: false, sideBarOpen: false },
  auth: withoutKiosks,
  requests: { postprocessors: [dropProbeServices] },
  windows: [{ manifestId }],
});
redrawAfterLogin(viewer.store);
