// Compares encoded answers with what they should show: full decode, crop, Lanczos-3 in double precision.

import http from "node:http";
import { join } from "node:path";
import sharp from "sharp";
import { ask, fault } from "./http.mjs";
import { psnr, reduced, ssim } from "./likeness.mjs";
import { mean } from "./numbers.mjs";
import { start } from "./servers.mjs";
import { areaRequest, scaleFactors, tileRequest } from "./session.mjs";

/** Reductions that are no power of two, of a region that begins on no block of a JPEG. */
const oddReductions = [1.3, 1.5, 2.7, 3.3, 5.5, 11];

/**
 * Rows of server, case ("1/4", "1/2.7"), PSNR in dB, SSIM, KB and faults: means over the tiles of a scale factor in the
 * middle, at a quarter and at the far corner, and over two regions for each of the other reductions.
 */
export async function compareQuality(names, picture, size, options) {
  const requests = [...gridCases(size, options.tile), ...oddCases(size)];
  const references = await expected(join(options.sources, picture), requests);
  const rows = [];
  for (const name of names) {
    const server = await start(name, options);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const found = new Map(requests.map(({ factor }) => [factor, { seen: [], faults: {} }]));
    try {
      for (const [i, request] of requests.entries()) {
        const { seen, faults } = found.get(request.factor);
        const answer = await ask(server.url(picture, request.path), agent);
        const problem = fault(request, answer);
        if (problem) faults[problem] = (faults[problem] ?? 0) + 1;
        else seen.push(await likeness(answer.body, references[i]));
      }
    } finally {
      agent.destroy();
      await server.stop();
    }
    for (const [factor, { seen, faults }] of found) {
      const average = (key) => mean(seen.map((each) => each[key]));
      const figures = { psnr: average("psnr"), ssim: average("ssim"), kilobytes: average("kilobytes") };
      rows.push({ picture, server: name, case: `1/${factor}`, answers: seen.length, ...figures, faults });
    }
  }
  return rows;
}

function gridCases(size, tile) {
  return scaleFactors(size, tile).flatMap((factor) => {
    const columns = Math.ceil(size.width / tile / factor);
    const rows = Math.ceil(size.height / tile / factor);
    const places = [
      [columns >> 1, rows >> 1],
      [columns >> 2, rows >> 2],
      [columns - 1, rows - 1],
    ];
    const requests = places.map(([column, row]) => tileRequest(size, tile, factor, column, row));
    return [...new Map(requests.map((request) => [request.path, request])).values()];
  });
}

function oddCases(size) {
  return oddReductions.flatMap((factor) => {
    const [w, h] = [Math.min(1501, size.width), Math.min(1103, size.height)];
    const places = [
      [0.21, 0.19],
      [0.61, 0.57],
    ];
    return places.map(([x, y]) => {
      const region = [Math.floor(x * (size.width - w)) | 1, Math.floor(y * (size.height - h)) | 1, w, h];
      return areaRequest(size, region, Math.round(w / factor), Math.round(h / factor), factor);
    });
  });
}

const rgb = async (input) => {
  const image = sharp(input, { limitInputPixels: false }).toColourspace("srgb").removeAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
};

async function expected(file, requests) {
  const whole = await rgb(file);
  return requests.map(({ region, width, height }) => reduced(whole, region, width, height));
}

async function likeness(jpeg, reference) {
  const picture = await rgb(jpeg);
  return {
    psnr: psnr(picture, reference),
    ssim: ssim(picture, reference),
    kilobytes: jpeg.length / 1024,
  };
}
