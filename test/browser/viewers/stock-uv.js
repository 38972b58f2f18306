// Universal Viewer on the manifest that the address names, as it is published.

/* global UV */
UV.init("viewer", {
  iiifManifestId: new URL(new URLSearchParams(location.search).get("manifest"), location.href).href,
});
