// Logging in with Mirador 4.0.0, which knows Authentication 1.0 alone. Three faults of it end a login otherwise; they are mended from
// the page around it, through its own configuration and store. An ES module for pages of this service and for others:
//
//   const viewer = Mirador.viewer({ …, auth: withoutKiosks, requests: { postprocessors: [dropProbeServices] } });
//   redrawAfterLogin(viewer.store);

/**
 * The ways of logging in that Mirador takes, in its order, without kiosks: smalti lets their readers in by address. Of several ways
 * Mirador would try a kiosk first, and then offer no other.
 */
export const withoutKiosks = {
  serviceProfiles: [
    { profile: "http://iiif.io/api/auth/1/external", external: true },
    { profile: "http://iiif.io/api/auth/1/clickthrough" },
    { profile: "http://iiif.io/api/auth/1/login" },
  ],
};

/**
 * A postprocessor of Mirador's requests. Mirador asks each service for its `profile`, which the probe services of Authorization
 * Flow 2.0 need not have, and fails on the first one without: no prompt, no image. Those of smalti have one; for images of others, and
 * for manifests that somebody else wrote, probe services are taken out of manifests and image information.
 */
export function dropProbeServices(_url, action) {
  dropFrom(action?.json);
  dropFrom(action?.manifestJson);
}

function dropFrom(node) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node.service))
    node.service = node.service.filter(({ type }) => type !== "AuthProbeService2");
  for (const child of Object.values(node)) dropFrom(child);
}

/**
 * Shows images again whose information was fetched again, which Mirador does after a login and a logout: it keeps the tiles that it
 * has, or their absence, as the address is the same. Returns a function that ends it.
 */
export function redrawAfterLogin(store) {
  let known = store.getState().infoResponses;
  let isDrawing = false;
  return store.subscribe(() => {
    if (isDrawing) return;
    const { infoResponses } = store.getState();
    const before = known;
    known = infoResponses;
    const changed = Object.values(infoResponses).filter(({ id, json }) => {
      const old = before[id]?.json;
      return old && json && old !== json;
    });
    if (changed.length === 0) return;
    isDrawing = true;
    for (const { id } of changed) store.dispatch({ type: "mirador/REMOVE_INFO_RESPONSE", infoId: id });
    // React takes the images down in its next turn; put back before, they would be the same to it.
    setTimeout(() => {
      for (const { id, json, degraded, tokenServiceId } of changed)
        store.dispatch({
          type: `mirador/RECEIVE_${degraded ? "DEGRADED_" : ""}INFO_RESPONSE`,
          infoId: id,
          infoJson: json,
          ok: !degraded,
          tokenServiceId,
        });
      known = store.getState().infoResponses;
      isDrawing = false;
    }, 50);
  });
}
