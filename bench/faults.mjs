// Checks that bytes, statuses and times stay correct while everything that the service depends on fails and
// recovers.
//
//   npm run build && node bench/faults.mjs [--minutes 10] [--seed 1] [--clients 12] [--requests 900] [--only redis,folder] [--verbose]
//
// Two servers run over the same files, web server and bucket. One has no caches and healthy origins: it
// defines the correct responses. The other stores derivatives in Redis, and facts and origin blocks in a
// folder; its clients sometimes disconnect early. Meanwhile Redis, folder, web server, bucket and files fail
// by a seeded plan, independently. Exits with status 1 on any wrong byte, any error that no fault excuses,
// any late response, and any growth of memory or descriptors. Linux, Node; as root, mounts fail too.

import { spawn } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import http from "node:http";
import { createServer } from "node:net";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import {
  breakableBucket,
  breakableFolder,
  breakableOrigin,
  breakableRedis,
  replacedFiles,
} from "./lib/breakable.mjs";
import { askFor, judge, outcomeOf, requestsOf } from "./lib/fault-requests.mjs";
import { quantile, table } from "./lib/numbers.mjs";
import { nodeFlags, nodeVariables } from "./lib/processes.mjs";
import { chances } from "./lib/session.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    clients: { type: "string", default: "12" },
    requests: { type: "string", default: "900" },
    only: { type: "string", default: "" }, // names of parts that may fail, of redis,folder,origin,bucket,files
    verbose: { type: "boolean", default: false }, // with the log of the servers
  },
});
/** Milliseconds without load after each of the three stretches, until idle workers have ended. */
const quietMs = 13_000;
const totalMs = Math.max(30_000, Number(values.minutes) * 60_000 - 3 * quietMs);
const only = values.only.split(",").filter(Boolean);
const fixtures = fileURLToPath(new URL("../test/fixtures/", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "smalti-faults-"));
const images = join(place, "images");
mkdirSync(images);

/**
 * Longest wait for a source, and time limit of a render. A response may take both, plus its wait in the
 * queue.
 */
const sourceMs = 3000;
const renderMs = 10_000;
const marginMs = 4000;
/**
 * Milliseconds after its end in which a fault may still have effects: origin responses in flight, and pauses
 * after them.
 */
const graceMs = 2500;

/** Errors that a fault excuses, by the part that has it, for requests of these sources. */
const excused = {
  origin: {
    sources: ["web"],
    codes: [
      "origin_unavailable",
      "origin_bad_answer",
      "origin_not_image",
      "origin_too_large",
      "source_changed",
      "busy",
    ],
  },
  bucket: { sources: ["bucket"], codes: ["origin_unavailable", "origin_bad_answer", "source_changed"] },
  files: { sources: ["files"], names: /^(exchanged|growing)/, codes: ["source_changed"] },
};
/** A file that is being written may look like any damaged one. */
const codesOfCutFile = [
  "not_an_image",
  "damaged_header",
  "damaged_image",
  "decode",
  "decode_failed",
  "header_mismatch",
  "source_unreadable",
  "unsupported_format",
  "source_too_large",
];

/** All fixtures that do not take seconds by themselves, and pictures of 24 megapixels; bytes by name. */
async function makeFiles() {
  const isPicture = (name) => /\.(jpg|png|tif|webp|gif|jp2|j2k|j2c|jph|jhc)$/.test(name);
  for (const name of readdirSync(fixtures))
    if (isPicture(name) && !/^(bomb|bad-dims)/.test(name))
      copyFileSync(join(fixtures, name), join(images, name));
  const flat = await sharp(join(fixtures, "base.png")).removeAlpha().resize(6000, 4000).raw().toBuffer();
  const large = () => sharp(flat, { raw: { width: 6000, height: 4000, channels: 3 } });
  await large().jpeg({ quality: 90 }).toFile(join(images, "large-baseline.jpg"));
  await large().jpeg({ quality: 88, progressive: true }).toFile(join(images, "large-progressive.jpg"));
  await large()
    .tiff({ compression: "jpeg", quality: 88, tile: true, pyramid: true })
    .toFile(join(images, "large-pyramid.tif"));
  const changed = large().resize(1500, 1000);
  await changed.clone().jpeg({ quality: 90 }).toFile(join(images, "one.jpg"));
  await changed.clone().negate().jpeg({ quality: 90 }).toFile(join(images, "other.jpg"));
  const growing = await changed.clone().modulate({ brightness: 1.2 }).jpeg({ quality: 92 }).toBuffer();
  writeFileSync(join(images, "grown.jpg"), growing);
  const bytes = new Map(readdirSync(images).map((name) => [name, readFileSync(join(images, name))]));
  return { bytes, growing };
}

const freePort = () =>
  new Promise((done) => {
    const holder = createServer().listen(0, "127.0.0.1", () => {
      const { port } = holder.address();
      holder.close(() => done(port));
    });
  });

/** Starts a server on a configuration; `usage` collects its garbage and returns what it holds. */
async function startServer(name, { cache, origin, bucket, imageMs, sourcesMs }) {
  const port = await freePort();
  const remote = { revalidate: "1s", stale_if_error: "0s", timeout: `${sourcesMs}ms` };
  const at = {
    bucket: bucket.bucket,
    region: bucket.region,
    endpoint: bucket.url,
    path_style: true,
    anonymous: true,
  };
  const settings = {
    addr: `127.0.0.1:${port}`,
    base_url: "https://images.example.org",
    log: { level: "error" },
    sources: [
      { name: "files", type: "filesystem", root: images, revalidate: "1s" },
      { name: "web", type: "http", prefix: "web/", url: `${origin.url}/{identifier}`, ...remote },
      { name: "bucket", type: "s3", prefix: "bucket/", ...at, ...remote, stale_if_error: "1h" },
    ],
    cache,
    image: { timeout: `${imageMs}ms` },
  };
  const file = join(place, `${name}.yaml`);
  writeFileSync(file, JSON.stringify(settings)); // JSON is YAML
  const preload = new URL("./lib/report-memory.mjs", import.meta.url).href;
  const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
  const child = spawn(
    process.execPath,
    [...nodeFlags, "--expose-gc", "--import", preload, main, "-config", file],
    {
      stdio: ["ignore", "ignore", values.verbose ? "inherit" : "ignore", "ipc"],
      env: { ...process.env, ...nodeVariables },
    },
  );
  child.once("exit", () => {
    child.isOver = true;
  });
  const base = `http://127.0.0.1:${port}`;
  for (let tries = 0; (await askFor(base, "/health", { patience: 500 })).status !== 200; tries++) {
    if (child.isOver || tries > 200) throw new Error(`the server "${name}" did not come up`);
    await pause(50);
  }
  return {
    base,
    child,
    async usage() {
      const told = new Promise((done) => child.once("message", done));
      child.kill("SIGUSR2");
      const { rss, heapUsed, external } = await told;
      const descriptors = readdirSync(`/proc/${child.pid}/fd`).length;
      const threads = readdirSync(`/proc/${child.pid}/task`).length;
      return { rss, heapUsed, external, descriptors, threads };
    },
    async stop() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await Promise.race([ended, pause(15_000)]);
      const inTime = child.isOver === true;
      if (!inTime) child.kill("SIGKILL");
      return inTime;
    },
  };
}

/**
 * Makes parts fail by the seed until `until`, independently: healthy for a while, then one of their faults.
 * Returns the log of faults in order.
 */
function failByPlan(parts, until) {
  const log = [];
  const chanceOf = (n) => chances(Number(values.seed) * 31 + n);
  const plans = parts.map(async (part, n) => {
    const chance = chanceOf(n + 1);
    const names = Object.keys(part.faults);
    for (let turn = n; ; turn++) {
      await pause(Math.min(500 + chance() * 3000, Math.max(0, until - performance.now())));
      if (performance.now() >= until) return;
      // All of them in turn, then by chance.
      const name = turn - n < names.length ? names[turn - n] : names[Math.floor(chance() * names.length)];
      const entry = { part: part.name, name, from: performance.now(), until: Number.POSITIVE_INFINITY };
      log.push(entry);
      await part.faults[name].begin();
      await pause(Math.min(700 + chance() * 4000, Math.max(0, until - performance.now())));
      await part.faults[name].end();
      entry.until = performance.now();
    }
  });
  return { log, over: Promise.all(plans) };
}

/** The errors that faults excuse of a request which was under way from `began` to `ended`. */
function codesExcused(log, { source, name }, { began, ended }) {
  const codes = new Set();
  for (const { part, from, until, name: fault } of log) {
    const rule = excused[part];
    if (from > ended || until + graceMs < began || !rule?.sources.includes(source)) continue;
    if (rule.names && !rule.names.test(name)) continue;
    for (const code of rule.codes) codes.add(code);
    if (fault === "copied into place") for (const code of codesOfCutFile) codes.add(code);
  }
  return codes;
}

/** Runs clients that send requests one after another until `until`; everything is recorded in `tally`. */
function load(server, { requests, right }, log, until, tally) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const tags = new Map();
  const client = async (n) => {
    const chance = chances(Number(values.seed) * 7919 + n);
    while (performance.now() < until) {
      const request = requests[Math.floor(chance() ** 1.5 * requests.length)];
      const tag = tags.get(request.path);
      const kind = chance();
      const method = kind < 0.08 ? "HEAD" : "GET";
      const condition = kind > 0.9 && tag !== undefined;
      const abortAfter = kind > 0.08 && kind < 0.12 ? chance() * 200 : undefined;
      const answer = await askFor(server.base, request.path, {
        method,
        agent,
        headers: condition ? { "if-none-match": tag } : {},
        patience: sourceMs + 3 * renderMs + 10_000,
        abortAfter,
      });
      const isReplaced = /^(exchanged|growing)/.test(request.name);
      const codes = codesExcused(log, request, answer);
      // An unexpected tag of an origin marks a state of its own; tags of files that nobody replaces stay.
      const lasting = request.source === "files" && !isReplaced ? tag : undefined;
      const fault = judge(answer, right.get(request.path), {
        codes,
        method,
        condition,
        isReplaced,
        tag: lasting,
      });
      if (answer.status === 200 && answer.headers.etag) tags.set(request.path, answer.headers.etag);
      tally(request, method, answer, fault);
    }
  };
  const all = Array.from({ length: Number(values.clients) }, (_, n) => client(n));
  return Promise.all(all).finally(() => agent.destroy());
}

/** Records the server's memory every half minute while it works. */
async function watchMemory(server, until, found) {
  while (performance.now() + 30_000 < until) {
    await pause(30_000);
    found.push(await server.usage());
  }
}

/** Checks that the service itself responds, whatever waits. */
async function watchHealth(server, until, times) {
  while (performance.now() < until) {
    const { began, ended, status } = await askFor(server.base, "/health", { patience: 10_000 });
    times.push(status === 200 ? ended - began : Number.POSITIVE_INFINITY);
    await pause(200);
  }
}

const mb = (bytes) => (bytes / 1e6).toFixed(0);
const { bytes, growing } = await makeFiles();
const closing = [];
try {
  const calm = { origin: await breakableOrigin(bytes), bucket: await breakableBucket(bytes) };
  const [origin, bucket] = [await breakableOrigin(bytes), await breakableBucket(bytes)];
  const redis = await breakableRedis(place);
  const folder = await breakableFolder(place);
  const files = replacedFiles(images, place, [join(images, "one.jpg"), join(images, "other.jpg")], growing);
  closing.push(calm.origin, calm.bucket, origin, bucket, folder, files, ...(redis ? [redis] : []));
  if (!redis) console.error("left out: redis (no redis-server on this machine)");
  if (folder.missing.length)
    console.error(`left out, as nothing may be mounted: ${folder.missing.join(", ")}`);

  const none = { backend: "none" };
  const entries = (max_bytes) => ({ backend: "filesystem", path: folder.path, max_bytes });
  const reference = await startServer("reference", {
    ...calm,
    cache: { render: none, info: none, origin: none },
    imageMs: 120_000,
    sourcesMs: 60_000,
  });
  closing.push({ close: () => reference.child.kill("SIGKILL") });
  const server = await startServer("server", {
    origin,
    bucket,
    cache: {
      render: redis
        ? { backend: "redis", addr: `127.0.0.1:${redis.port}`, max_memory: "24MiB" }
        : { backend: "heap", max_bytes: "24MiB" },
      info: entries("1MiB"),
      origin: entries("16MiB"),
    },
    imageMs: renderMs,
    sourcesMs: sourceMs,
  });
  closing.push({ close: () => server.child.kill("SIGKILL") });

  const sizes = [];
  const info = async (name) =>
    JSON.parse((await askFor(reference.base, `/iiif/3/${name}/info.json`, { patience: 30_000 })).body);
  for (const name of readdirSync(images)) {
    const { width = 600, height = 400 } = await info(name);
    sizes.push({ name, width, height });
  }
  const chance = chances(Number(values.seed));
  const requests = requestsOf(sizes, Number(values.requests), chance);
  const right = new Map();
  const outcome = async (path) => outcomeOf(await askFor(reference.base, path, { patience: 120_000 }));
  for (const { path } of requests) {
    const others =
      path.includes("/exchanged.jpg/") && !path.endsWith("info.json") ? ["one.jpg", "other.jpg"] : undefined;
    const paths = others ? others.map((name) => path.replace("exchanged.jpg", name)) : [path];
    right.set(path, await Promise.all(paths.map(outcome)));
  }
  const served = requests.filter(({ path }) => right.get(path)[0].status === 200).length;
  await reference.stop();
  console.log(
    `${cpus()[0].model}, ${cpus().length} processors, Node ${process.versions.node}, load ${loadavg()[0].toFixed(1)}; seed ${values.seed}, ${values.clients} clients, ${requests.length} requests of ${sizes.length} files, of which ${served} have status 200`,
  );

  const rows = new Map();
  const problems = new Map();
  const late = [];
  const slow = [];
  const tally = (request, method, answer, fault) => {
    const name = method === "HEAD" ? "HEAD" : request.kind;
    const key = `${request.source} ${name}`;
    const row = rows.get(key) ?? {
      asked: 0,
      ok: 0,
      same: 0,
      refused: 0,
      excused: 0,
      left: 0,
      wrong: 0,
      late: 0,
      times: [],
    };
    rows.set(key, row);
    row.asked++;
    const ms = answer.ended - answer.began;
    if (answer.aborted) return void row.left++;
    row.times.push(ms);
    const { status = answer.failed } = answer;
    if (ms > 1000)
      slow.push({
        ms,
        source: request.source,
        what: `${method} ${request.path} (${status})`,
        at: answer.began - began,
      });
    if (answer.status === 200) row.ok++;
    else if (answer.status === 304) row.same++;
    else if (right.get(request.path)[0].status === answer.status) row.refused++;
    else row.excused++;
    // A file that is replaced while it is read is rendered up to three times.
    const renders = /^(exchanged|growing)/.test(request.name) ? 3 : 1;
    const most = (request.source === "files" ? 0 : sourceMs) + renders * renderMs + marginMs;
    if (ms > most) {
      row.late++;
      late.push(`${ms.toFixed(0)} ms for ${request.path} (${status})`);
    }
    if (!fault) return;
    row.wrong++;
    const seen = problems.get(`${key}: ${fault}`) ?? {
      count: 0,
      example: request.path,
      at: performance.now(),
    };
    seen.count++;
    problems.set(`${key}: ${fault}`, seen);
  };

  const parts = [redis, folder, origin, bucket, files].filter(
    (part) => part && (!only.length || only.includes(part.name)),
  );
  const faultLog = [];
  const health = [];
  const began = performance.now();
  const memory = [];
  const working = [];
  /**
   * Load under faults for a while, all well in the last tenth, then quiet until surplus workers have ended.
   */
  const stretch = async (name, ms) => {
    const until = performance.now() + ms;
    const failing = failByPlan(parts, until - ms / 10);
    faultLog.push(failing.log);
    const watching = Promise.all([watchHealth(server, until, health), watchMemory(server, until, working)]);
    await load(server, { requests, right }, failing.log, until, tally);
    await Promise.all([watching, failing.over]);
    await pause(quietMs);
    const usage = await server.usage();
    memory.push({ name, ...usage });
  };
  const firstMs = Math.min(60_000, totalMs / 5);
  await stretch("after the first stretch", firstMs);
  await stretch("at half time", totalMs / 2 - firstMs);
  await stretch("at the end", totalMs / 2);

  const count = [...rows.values()].reduce((sum, { asked }) => sum + asked, 0);
  console.log(`\n${count} requests in ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
  console.log(
    table(
      [
        "",
        "asked",
        "200",
        "304",
        "error, right",
        "error, by a fault",
        "left early",
        "wrong",
        "late",
        "p50 ms",
        "p99 ms",
        "most ms",
      ],
      [...rows]
        .sort()
        .map(([key, row]) => [
          key,
          ...["asked", "ok", "same", "refused", "excused", "left", "wrong", "late"].map((name) =>
            String(row[name]),
          ),
          quantile(row.times, 0.5),
          quantile(row.times, 0.99),
          quantile(row.times, 1),
        ]),
      1,
    ),
  );
  const faults = new Map();
  for (const { part, name, from, until } of faultLog.flat()) {
    const seen = faults.get(`${part}: ${name}`) ?? { times: 0, ms: 0 };
    faults.set(`${part}: ${name}`, { times: seen.times + 1, ms: seen.ms + until - from });
  }
  console.log(
    `\n${table(
      ["fault", "times", "seconds"],
      [...faults].sort().map(([name, { times, ms }]) => [name, String(times), ms / 1000]),
      1,
    )}`,
  );
  console.log(
    `\n/health: ${health.length} times, p99 ${quantile(health, 0.99).toFixed(0)} ms, most ${quantile(health, 1).toFixed(0)} ms`,
  );
  for (const { name, rss, heapUsed, external, descriptors, threads } of memory)
    console.log(
      `${name}, quiet: ${mb(rss)} MB resident, ${mb(heapUsed)} MB heap, ${mb(external)} MB external, ${descriptors} descriptors, ${threads} threads`,
    );

  if (working.length)
    console.log(`at work, every half minute: ${working.map(({ rss }) => mb(rss)).join(" ")} MB resident`);
  console.log("\nslowest answers of each source");
  for (const source of Object.keys(excused).flatMap((part) => excused[part].sources))
    for (const { ms, what, at } of slow
      .filter((one) => one.source === source)
      .sort((a, b) => b.ms - a.ms)
      .slice(0, 4))
      console.log(`${ms.toFixed(0)} ms, begun ${(at / 1000).toFixed(1)} s after the start: ${what}`);

  // Memories of WebAssembly and of malloc grow to the largest jobs first: what counts is whether that ends.
  const [, half, last] = memory;
  const verdicts = [
    ...[...problems].map(
      ([what, { count, example, at }]) =>
        `${count} times ${what}, first ${((at - began) / 1000).toFixed(1)} s after the start: ${example}`,
    ),
    ...late.slice(0, 10).map((each) => `late: ${each}`),
    ...(quantile(health, 1) > 2000 ? ["/health took longer than 2 s"] : []),
    ...(last.rss > 1.15 * half.rss + 32e6 ? ["memory grew"] : []),
    ...(last.descriptors > half.descriptors + 8 ? ["descriptors grew"] : []),
    ...(server.child.isOver
      ? ["the server ended"]
      : (await server.stop())
        ? []
        : ["the server did not stop in time"]),
  ];
  console.log(
    verdicts.length
      ? `\nFAILED\n${verdicts.join("\n")}`
      : "\npassed: no wrong byte, no error that no fault excuses, no late answer",
  );
  process.exitCode = verdicts.length ? 1 : 0;
} finally {
  for (const part of closing) await part.close();
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
}
process.exit();
