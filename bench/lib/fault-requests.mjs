// The requests sent while parts fail: a seeded mix over files and sources, the correct responses, and how a
// response is judged.

import { createHash } from "node:crypto";
import http from "node:http";

/** Prefixes of the identifiers of each source. */
export const prefixes = { files: "", web: "web/", bucket: "bucket/" };

const address = (source, name, rest) => `/iiif/3/${encodeURIComponent(prefixes[source] + name)}/${rest}`;

/**
 * Returns distinct requests: `sizes` are names with width and height, `chance` returns numbers in 0..1. Every
 * name is requested from each source by `info.json` and by images in equal shares; large ones and replaced
 * ones come more often.
 */
export function requestsOf(sizes, count, chance) {
  const pick = (list) => list[Math.floor(chance() * list.length)];
  const upTo = (most) => Math.floor(chance() * Math.max(1, most));
  const large = sizes.filter(({ width }) => width > 2000);
  const replaced = sizes.filter(({ name }) => /^(exchanged|growing)/.test(name));
  const seen = new Map();
  let turn = 0;
  for (let tries = 0; seen.size < count && tries < 20 * count; tries++) {
    const own = chance() < 0.2 ? replaced : chance() < 0.45 ? large : undefined;
    const { name, width, height } = own?.length ? pick(own) : sizes[turn++ % sizes.length];
    const source = /^(exchanged|growing)/.test(name) ? "files" : pick(["files", "web", "web", "bucket"]);
    const side = pick([128, 256, 512]) * pick([1, 1, 2, 4]);
    const region = pick([
      () => "full",
      () => "square",
      () => `${upTo(width - 1)},${upTo(height - 1)},${1 + upTo(side)},${1 + upTo(side)}`,
      () => `${side * upTo(width / side)},${side * upTo(height / side)},${side},${side}`,
      () => `pct:${upTo(60)},${upTo(60)},${5 + upTo(30)},${5 + upTo(30)}`,
    ])();
    const most = width * height > 4e6 && !/^\d/.test(region);
    const size = pick(["128,", ",90", "!300,300", ...(most ? ["400,"] : ["max", "max", "pct:50", "pct:25"])]);
    const rotation = pick(["0", "0", "0", "0", "90", "180", "!0", "22.5"]);
    const file = `${pick(["default", "default", "default", "gray", "bitonal"])}.${pick(["jpg", "jpg", "jpg", "png", "webp", "tif"])}`;
    const rest = chance() < 0.12 ? "info.json" : [region, size, rotation, file].join("/");
    const path = address(source, name, rest);
    if (!seen.has(path))
      seen.set(path, { source, name, path, kind: rest === "info.json" ? "info" : "image" });
  }
  return [...seen.values()];
}

/**
 * Sends a request. Returns status, headers, digest and length of the body, and when it began and ended. Never
 * throws: `failed` says why there is no response.
 */
export function askFor(base, path, { method = "GET", headers = {}, agent, patience, abortAfter } = {}) {
  return new Promise((done) => {
    const began = performance.now();
    const finish = (found) => {
      clearTimeout(timer);
      done({ began, ended: performance.now(), ...found });
    };
    const request = http.request(base + path, { method, headers, agent }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("error", (error) => finish({ failed: error.code ?? error.message }));
      response.on("end", () => {
        const body = Buffer.concat(parts);
        const digest = createHash("sha256").update(body).digest("hex");
        finish({ status: response.statusCode, headers: response.headers, body, digest });
      });
    });
    const aborts = abortAfter !== undefined;
    const timer = setTimeout(
      () => {
        finish(aborts ? { aborted: true } : { failed: "no answer" });
        request.destroy();
      },
      aborts ? abortAfter : patience,
    );
    request.on("error", (error) => finish({ failed: error.code ?? error.message }));
    request.end();
  });
}

/** The parts of a response that must be equal in another response to the same request. */
export const outcomeOf = ({ status, headers, body, digest }) => ({
  status,
  digest,
  length: body.length,
  type: headers["content-type"],
  code: status >= 400 ? problemOf(body)?.code : undefined,
});

function problemOf(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * Describes what is wrong with a response; undefined if nothing is. `right` are the correct outcomes, any of
 * which counts if the file is replaced meanwhile; `codes` are the errors that current faults excuse; `asked`
 * is what was sent besides the address.
 */
export function judge(answer, right, { codes, method, condition, isReplaced, tag }) {
  if (answer.aborted) return undefined;
  if (answer.failed) return `no answer: ${answer.failed}`;
  const { status, headers, body } = answer;
  if (status === 304) return condition ? undefined : "304 without a condition";
  const same = right.find((one) => one.status === status);
  if (status === 200) return judgePicture(answer, right, same, { method, isReplaced, tag });
  if (method === "HEAD")
    return same || status >= 500 ? undefined : `HEAD ${status} where ${right[0].status} is right`;
  const problem = problemOf(body);
  const isDocument =
    /^application\/problem\+json/.test(headers["content-type"] ?? "") && problem?.status === status;
  if (!isDocument || !problem.code || !problem.detail || headers["cache-control"] !== "no-store")
    return `${status} without a problem document`;
  if (same?.code === problem.code || codes.has(problem.code)) return undefined;
  return `${status} ${problem.code} where ${right[0].status} ${right[0].code ?? ""} is right`;
}

/** Describes what is wrong with a response of status 200; `same` is the correct one with that status. */
function judgePicture({ headers, body, digest: received }, right, same, { method, isReplaced, tag }) {
  const passing = isReplaced && headers.etag === undefined && headers["cache-control"] === "no-cache";
  if (passing) return undefined;
  // Only reading a picture shows that it is damaged.
  if (method === "HEAD" && right[0].status === 500) return undefined;
  if (!same) return `200 where ${right[0].status} ${right[0].code} is right`;
  if (headers["content-type"] !== same.type)
    return `type ${headers["content-type"]} where ${same.type} is right`;
  // Damage shows only when a picture is read, so HEAD has a tag even if GET has none.
  if (tag !== undefined && headers.etag !== undefined && headers.etag !== tag)
    return "another ETag than before";
  if (method === "HEAD") return body.length ? "a body to HEAD" : undefined;
  return right.some(({ digest }) => digest === received) ? undefined : "wrong bytes";
}
