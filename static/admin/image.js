// The picture to zoom in, by OpenSeadragon. What is gated for this browser does not come.
void (async () => {
  const byId = (id) => document.getElementById(id);
  const [stage, place, trouble, controls] = ["stage", "viewer", "trouble", "controls"].map(byId);
  if (!place || !window.showZoomable) return;
  const { address, name } = place.dataset;

  const instead = (reason) => {
    place.hidden = true;
    controls.parentElement.hidden = true;
    stage.hidden = false;
    trouble.hidden = false;
    trouble.textContent = `This image cannot be shown. ${reason}`;
  };
  const ask = (url) =>
    fetch(url, { headers: { Accept: "application/json, application/problem+json" } }).catch(() => undefined);
  const detailOf = async (answer) =>
    (await answer?.json().catch(() => undefined))?.detail ?? "The service does not answer.";

  const answer = await ask(`${address}/info.json`);
  if (!answer?.ok) return instead(await detailOf(answer));
  // Its id is the public address, which may be of another host than this page: the policy of the page lets its own alone be asked.
  const info = { ...(await answer.json()), id: new URL(address, location.href).href };

  stage.hidden = false;
  const { viewer, setLabel } = window.showZoomable({ tileSources: info, maxZoomPixelRatio: 4 });
  setLabel(name);

  let drawn = false;
  viewer.addHandler("tile-loaded", () => {
    drawn = true;
  });
  viewer.addHandler("tile-load-failed", async ({ tile }) => {
    if (drawn) return;
    const failed = await ask(tile.getUrl());
    if (!failed?.ok && !drawn) instead(await detailOf(failed));
  });
})();
