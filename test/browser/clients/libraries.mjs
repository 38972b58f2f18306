// Libraries that read IIIF documents without showing them: what one finds in the document at each
// address, as JSON by the address.
//
//   node libraries.mjs LIBRARY ADDRESS ...

import { createRequire } from "node:module";

const [, , library, ...addresses] = process.argv;
const require = createRequire(import.meta.url);

const read = {
  async manifesto(address) {
    const { loadManifest, parseManifest } = require("manifesto.js");
    const document = parseManifest(await loadManifest(address));
    if (document.isCollection())
      return {
        type: "Collection",
        id: document.id,
        members: document.items.map(({ id, type }) => ({ id, type })),
      };
    const canvases = document.getSequences()[0].getCanvases();
    return {
      type: "Manifest",
      id: document.id,
      label: document.getDefaultLabel(),
      canvases: canvases.map((canvas) => ({
        id: canvas.id,
        image:
          canvas.getImages()[0]?.getResource().getServices()[0]?.id ??
          canvas.getContent()[0]?.getBody()[0]?.id,
        width: canvas.getWidth(),
      })),
    };
  },
  async vault(address) {
    const { Vault } = require("@iiif/vault");
    const vault = new Vault();
    const document = await vault.load(address);
    if (document.type === "Collection")
      return {
        type: document.type,
        id: document.id,
        members: document.items.map(({ id, type }) => ({ id, type })),
      };
    return {
      type: document.type,
      id: document.id,
      label: Object.values(document.label)[0][0],
      canvases: vault.get(document.items).map((canvas) => ({
        id: canvas.id,
        image: vault.get(vault.get(vault.get(canvas.items[0]).items[0]).body[0])?.id,
        width: canvas.width,
      })),
    };
  },
  async cozy(address) {
    const { Cozy } = await import("cozy-iiif");
    const parsed = await Cozy.parseURL(address);
    if (parsed.type === "collection")
      return {
        type: "Collection",
        id: parsed.resource.id,
        members: parsed.resource.items.map(({ id, type }) => ({ id, type })),
      };
    if (parsed.type !== "manifest") return parsed;
    return {
      type: "Manifest",
      id: parsed.resource.id,
      label: parsed.resource.getLabel(),
      canvases: parsed.resource.canvases.map((canvas) => ({
        id: canvas.id,
        image: canvas.images[0]?.getImageURL?.() ?? canvas.images[0]?.id,
        width: canvas.width,
      })),
    };
  },
};

const found = {};
for (const address of addresses)
  found[address] = await read[library](address).catch(({ message }) => ({ type: `Error: ${message}` }));
console.log(JSON.stringify(found));
process.exit(0);
