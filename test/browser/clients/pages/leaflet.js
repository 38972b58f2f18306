// Leaflet with leaflet-iiif on the image service that the address names.

/* global L */
const map = L.map("viewer", { center: [0, 0], crs: L.CRS.Simple, zoom: 0 });
L.tileLayer.iiif(`${new URLSearchParams(location.search).get("of")}/info.json`).addTo(map);
