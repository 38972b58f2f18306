// Mirador as published, on the manifest that the address names.

/* global Mirador */
Mirador.viewer({
  id: "viewer",
  language: "en",
  workspace: { type: "mosaic", allowNewWindows: false },
  workspaceControlPanel: { enabled: false },
  window: { allowClose: false, allowMaximize: false, sideBarOpen: false },
  windows: [
    { manifestId: new URL(new URLSearchParams(location.search).get("manifest"), location.href).href },
  ],
});
