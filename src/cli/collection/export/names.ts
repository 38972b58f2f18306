// Names of exported files. Each is its own address on any web server, and allowed on any file system.

import { md5, toHex } from "../../../base/index.ts";

/** Characters that stay: letters and digits of all scripts, and marks without a meaning in addresses. */
const special = /[^\p{L}\p{N}\p{M}._-]|\.$/gu;

/** Most bytes of a name: file systems allow 255, of which the extension of a document needs some. */
const maxBytes = 240;

/** Returns a segment of an identifier as a name; different segments have different names. */
export function fileName(segment: string): string {
  const name = escapedName(segment);
  if (bytesOf(name).length <= maxBytes) return name;
  // No escaped name has two tildes in a row.
  const end = `~~${toHex(md5(bytesOf(segment)))}`;
  let begin = [...name].slice(0, maxBytes - end.length);
  while (bytesOf(begin.join("")).length > maxBytes - end.length) begin = begin.slice(0, -1);
  return begin.join("") + end;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

function escapedName(segment: string): string {
  return segment.replace(special, (character) => {
    let escaped = "";
    for (const byte of bytesOf(character)) escaped += `~${byte.toString(16).padStart(2, "0")}`;
    return escaped;
  });
}

/** Returns the path of an identifier below its folder. */
export const filePath = (identifier: string): string => identifier.split("/").map(fileName).join("/");

/** Folder of an image, with its image information and derivatives. */
export const imageFolder = (identifier: string): string => `images/${filePath(identifier)}`;

/** What a file of an export has of the text of a canvas; see `PieceKind`. */
const textPiece = /\/canvas\/[1-9]\d*\/(lines|words|text|ocr)$/;

/** Returns which text of a canvas an identifier names; undefined for any other document. */
export const textPieceOf = (id: string): string | undefined => textPiece.exec(id)?.[1];

/** True for the identifier or address of a text or the maps of a canvas, which are documents of their own. */
export const isCanvasPiece = (id: string): boolean => canvasPiece.test(id);
const canvasPiece = /\/canvas\/[1-9]\d*\/(?:lines|words|text|ocr|map)$/;

/** True for the identifier of a text that is no JSON. */
export const isRawText = (id: string): boolean => ["text", "ocr"].includes(textPieceOf(id) ?? "");

/**
 * File of a document; "" is the collection of everything. Files of OCR are plain text, too, since a web
 * server would send them as pages that may run scripts.
 */
export const documentFile = (id: string): string =>
  id === "" ? "collection.json" : `manifests/${filePath(id)}.${isRawText(id) ? "txt" : "json"}`;

/** Returns the address of an exported file. `base`: without a trailing /. */
export const addressOf = (base: string, path: string): string =>
  `${base}/${path.split("/").map(encodeURIComponent).join("/").replaceAll("%2C", ",")}`;
