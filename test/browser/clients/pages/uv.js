// Universal Viewer on the document that the address names.

/* global UV */
document.querySelector("#viewer").className = "uv";
UV.init("viewer", { iiifManifestId: new URLSearchParams(location.search).get("of") });
