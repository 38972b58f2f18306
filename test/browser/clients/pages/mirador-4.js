// Mirador 4 on the document that the address names: a manifest, or a collection to choose from.

/* global Mirador */
Mirador.viewer({
  id: "viewer",
  workspaceControlPanel: { enabled: false },
  windows: [{ manifestId: new URLSearchParams(location.search).get("of") }],
});
