// TIFY on the document that the address names.

import Tify from "/packages/tify/dist/tify.js";

window.tify = new Tify({
  container: "#viewer",
  manifestUrl: new URLSearchParams(location.search).get("of"),
  translationsDirUrl: "/packages/tify/dist/translations",
});
