// The least a Node server can do with sharp: a file's path in, region, size, turn, JPEG of quality 90 or PNG
// out. Nothing of IIIF is checked.
//
//   node bench/peers/sharp.mjs PORT FOLDER
//
// sharp keeps its own defaults (threads, cache). A pyramid in a TIFF is used: the level that is just large
// enough.

import http from "node:http";
import { basename, join } from "node:path";
import sharp from "sharp";

const [port, folder] = process.argv.slice(2);
const open = (file, page) => sharp(file, { page, limitInputPixels: false });

const known = new Map();
/** Sizes of the picture and of its reduced levels, read once per file. */
function levels(file) {
  if (!known.has(file)) known.set(file, readLevels(file));
  return known.get(file);
}

async function readLevels(file) {
  const first = await open(file, 0).metadata();
  const sizes = [first];
  for (let page = 1; first.format === "tiff" && page < (first.pages ?? 1); page++)
    sizes.push(await open(file, page).metadata());
  return sizes;
}

async function answer(path) {
  const [, , , identifier, region, size, degrees, name] = path.split("/");
  const file = join(folder, basename(decodeURIComponent(identifier)));
  const sizes = await levels(file);
  const { width, height } = sizes[0];
  if (region === "info.json") return ["application/json", JSON.stringify({ width, height })];

  const [x, y, w, h] = region === "full" ? [0, 0, width, height] : region.split(",").map(Number);
  const fit = size.startsWith("!") ? "inside" : "fill";
  const [across, down] = size === "max" ? [w, h] : size.replace(/[!^]/, "").split(",").map(Number);

  const scale = Math.max(w / across, h / down);
  const page = sizes.findLastIndex((level, index) => index === 0 || width / level.width <= scale * 1.02);
  const level = sizes[page];
  const image = open(file, page);
  if (region !== "full") {
    const left = Math.round((x * level.width) / width);
    const top = Math.round((y * level.height) / height);
    image.extract({
      left,
      top,
      width: Math.min(level.width - left, Math.round((w * level.width) / width)),
      height: Math.min(level.height - top, Math.round((h * level.height) / height)),
    });
  }
  image.resize(across, down, { fit });
  if (Number(degrees) > 0) image.rotate(Number(degrees), { background: "#ffffff" });
  return name.endsWith(".png")
    ? ["image/png", await image.png({ compressionLevel: 1 }).toBuffer()]
    : ["image/jpeg", await image.jpeg({ quality: 90 }).toBuffer()];
}

http
  .createServer(async (request, response) => {
    if (request.url === "/") return response.end("ok");
    try {
      const [type, body] = await answer(request.url);
      response.writeHead(200, { "content-type": type }).end(body);
    } catch (error) {
      response.writeHead(500).end(String(error.message));
    }
  })
  .listen(Number(port), "127.0.0.1");
