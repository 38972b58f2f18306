// Names of exported files. Each is its own address on any web server, and allowed on any file system.

/** Characters that stay: letters and digits of all scripts, and marks without a meaning in addresses. */
const special = /[^\p{L}\p{N}\p{M}._-]|\.$/gu;

/** Returns a segment of an identifier as a name; different segments have different names. */
export function fileName(segment: string): string {
  return segment.replace(special, (character) => {
    let escaped = "";
    for (const byte of new TextEncoder().encode(character))
      escaped += `~${byte.toString(16).padStart(2, "0")}`;
    return escaped;
  });
}

/** Returns the path of an identifier below its folder. */
export const filePath = (identifier: string): string => identifier.split("/").map(fileName).join("/");

/** Folder of an image, with its image information and derivatives. */
export const imageFolder = (identifier: string): string => `images/${filePath(identifier)}`;

/** File of a document; "" is the collection of everything. */
export const documentFile = (id: string): string =>
  id === "" ? "collection.json" : `manifests/${filePath(id)}.json`;

/** Returns the address of an exported file. `base`: without a trailing /. */
export const addressOf = (base: string, path: string): string =>
  `${base}/${path.split("/").map(encodeURIComponent).join("/").replaceAll("%2C", ",")}`;
