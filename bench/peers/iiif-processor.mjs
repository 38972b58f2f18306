// The npm package iiif-processor on node:http, dimensions cached as its documentation advises.
//
//   PEER_MODULES=FOLDER node bench/peers/iiif-processor.mjs PORT SOURCES     FOLDER holds node_modules with the package
//
// It takes its masters as streams, brings its own sharp, and encodes at quality 80, for which it has no
// setting.

import { createReadStream } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";

const [port, folder] = process.argv.slice(2);
const ownRequire = createRequire(resolve(process.env.PEER_MODULES ?? ".", "any.js"));
const { Processor } = ownRequire("iiif-processor");
const sharp = createRequire(ownRequire.resolve("iiif-processor"))("sharp");

const path = (id) => join(folder, basename(decodeURIComponent(id)));
const stream = async ({ id }) => createReadStream(path(id));

const known = new Map();
async function dimensionFunction({ id }) {
  if (!known.has(id)) known.set(id, readDimensions(path(id)));
  return (await known.get(id)).map((each) => ({ ...each }));
}

async function readDimensions(file) {
  const page = (number) => sharp(file, { page: number, limitInputPixels: false }).metadata();
  const first = await page(0);
  const all = [first];
  for (let number = 1; number < (first.pages ?? 1); number++) all.push(await page(number));
  return all.map(({ width, height }) => ({ width, height }));
}

http
  .createServer(async (request, response) => {
    if (request.url === "/") return response.end("ok");
    try {
      const url = `http://${request.headers.host}${request.url}`;
      const sharpOptions = { limitInputPixels: false };
      const result = await new Processor(url, stream, { dimensionFunction, sharpOptions }).execute();
      if (result.type === "content")
        response.writeHead(200, { "content-type": result.contentType }).end(result.body);
      else if (result.type === "redirect") response.writeHead(302, { location: result.location }).end();
      else response.writeHead(result.statusCode).end(result.message);
    } catch (error) {
      response.writeHead(500).end(String(error.message));
    }
  })
  .listen(Number(port), "127.0.0.1");
