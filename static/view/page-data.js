// What the server wrote into the page, for all scripts around a viewer.

/** What the server found: the manifest, and the canvas and region to begin with. */
export const view = JSON.parse(document.getElementById("view").textContent);

export const find = (id) => document.getElementById(id);

/** The text of a language map in the language of the page. */
export const textOf = (map = {}) => (map[view.language] ?? map.en ?? Object.values(map)[0])?.[0];
