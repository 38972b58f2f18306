// OpenLayers on the image service that the address names.

import IIIFInfo from "ol/format/IIIFInfo.js";
import TileLayer from "ol/layer/Tile.js";
import OpenLayersMap from "ol/Map.js";
import IIIF from "ol/source/IIIF.js";
import View from "ol/View.js";

const response = await fetch(`${new URLSearchParams(location.search).get("of")}/info.json`);
const options = new IIIFInfo(await response.json()).getTileSourceOptions();
const source = new IIIF(options);
const grid = source.getTileGrid();
const map = new OpenLayersMap({
  target: "viewer",
  layers: [new TileLayer({ source })],
  view: new View({ resolutions: grid.getResolutions(), extent: grid.getExtent(), constrainOnlyCenter: true }),
});
map.getView().fit(grid.getExtent());
