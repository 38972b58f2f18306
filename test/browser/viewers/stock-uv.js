// Universal Viewer as published, on the manifest that the address names.

/* global UV */
UV.init("viewer", {
  iiifManifestId: new URL(new URLSearchParams(location.search).get("manifest"), location.href).href,
});
