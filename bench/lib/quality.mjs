// Compares encoded responses with their references: full decode, crop, resampling in double precision.

import http from "node:http";
import { join } from "node:path";
import sharp from "sharp";
import { ask, fault } from "./http.mjs";
import { psnr, resized, ssim, tileOf, turned } from "./likeness.mjs";
import { mean } from "./numbers.mjs";
import { start } from "./servers.mjs";
import { areaRequest, scaleFactors, tileRequest, turnedRequest } from "./session.mjs";

/** Reductions that are no power of two, of a region that begins on no block of a JPEG. */
const oddReductions = [1.3, 1.5, 2.7, 3.3, 5.5, 11];
const enlargements = [1.5, 2, 3.3];
const turns = [0.7, 10, 45, 203.5];

/**
 * Rows of server, case ("1/4", "1/2.7", "2/1", "45°"), PSNR in dB, SSIM, KB and faults: means over the tiles
 * of a scale factor in the middle, at a quarter and at the far corner, and over two regions for each of the
 * other reductions, enlargements and turns. `format`: "jpg" or "png".
 */
export async function compareQuality(names, picture, size, options) {
  const cases = [
    ...gridCases(size, options.tile),
    ...oddCases(size),
    ...largerCases(size),
    ...turnedCases(size),
  ];
  const requests = cases.map((each) => ({
    ...each,
    path: each.path.replace(/jpg$/, options.format ?? "jpg"),
  }));
  const whole = await rgb(join(options.sources, picture));
  const references = requests.map((request) => referencesOf(whole, request));
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
        else seen.push(await likeness(answer.body, references[i], whole, request));
      }
    } finally {
      agent.destroy();
      await server.stop();
    }
    for (const [factor, { seen, faults }] of found) {
      const average = (key) =>
        seen.some((each) => key in each) ? mean(seen.map((each) => each[key])) : undefined;
      const figures = { psnr: average("psnr"), ssim: average("ssim"), kilobytes: average("kilobytes") };
      rows.push({ picture, server: name, case: nameOf(factor), answers: seen.length, ...figures, faults });
    }
  }
  return rows;
}

/** Reductions are numbers. */
const nameOf = (factor) => (typeof factor === "number" ? `1/${factor}` : factor);

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
  const [w, h] = [Math.min(1501, size.width), Math.min(1103, size.height)];
  return oddReductions.flatMap((factor) =>
    places(size, w, h).map((region) =>
      areaRequest(size, region, Math.round(w / factor), Math.round(h / factor), factor),
    ),
  );
}

/** Odd sides, at two places. */
function places(size, w, h) {
  return [
    [0.21, 0.19],
    [0.61, 0.57],
  ].map(([x, y]) => [Math.floor(x * (size.width - w)) | 1, Math.floor(y * (size.height - h)) | 1, w, h]);
}

function largerCases(size) {
  return enlargements.flatMap((factor) =>
    places(size, 351, 277).map((region) =>
      areaRequest(size, region, Math.round(351 * factor), Math.round(277 * factor), `${factor}/1`),
    ),
  );
}

const turnedCases = (size) =>
  turns.flatMap((degrees) => places(size, 467, 351).map((region) => turnedRequest(region, degrees)));

const rgb = async (input) => {
  const image = sharp(input, { limitInputPixels: false }).toColourspace("srgb").removeAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
};

/**
 * Returns the valid references of a response: its region at its size, and for a tile its part of the whole
 * picture reduced by exactly the scale factor. None for a rotation.
 */
function referencesOf(whole, { region, width, height, factor, grid, degrees }) {
  if (degrees) return [];
  const alone = resized(whole, region, width, height);
  return grid && factor > 1 ? [alone, tileOf(whole, region, width, height, factor)] : [alone];
}

/** Compares with the nearer reference. SSIM only if the compared pixels are adjacent. */
async function likeness(answer, references, whole, { region, degrees }) {
  const picture = await rgb(answer);
  const kilobytes = answer.length / 1024;
  if (degrees) return { psnr: psnr(...turned(whole, region, degrees, picture)), kilobytes };
  const [best] = references
    .map((reference) => ({ psnr: psnr(picture, reference), reference }))
    .sort((a, b) => b.psnr - a.psnr);
  return { psnr: best.psnr, ssim: ssim(picture, best.reference), kilobytes };
}
