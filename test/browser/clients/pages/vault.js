// Canvas Panel of react-iiif-vault on the manifest that the address names.

import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { CanvasPanel } from "react-iiif-vault";

const manifest = new URLSearchParams(location.search).get("of");
createRoot(document.querySelector("#viewer")).render(createElement(CanvasPanel, { manifest, height: 700 }));
