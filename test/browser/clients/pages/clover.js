// Clover's element on the document that the address names.

const viewer = document.createElement("clover-viewer");
viewer.setAttribute("iiif-content", new URLSearchParams(location.search).get("of"));
document.querySelector("#viewer").append(viewer);
