// Libraries that read IIIF documents without showing them: what each finds in the document at an address, as
// JSON.
//
//   node libraries.mjs LIBRARY ADDRESS

import { createRequire } from "node:module";

const [, , library, address] = process.argv;
const require = createRequire(import.meta.url);

const read = {
  async manifesto() {
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
  async vault() {
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
  async cozy() {
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

console.log(JSON.stringify(await read[library]()));
process.exit(0);
