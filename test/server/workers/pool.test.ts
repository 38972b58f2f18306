// The pool on real worker threads: the bundled worker is built once into a temporary directory.
// @module-tag slow

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { build } from "../../../scripts/build.mjs";
import { type ByteSource, memoryBytes } from "../../../src/base/bytes/byte-source.ts";
import { notedDigest } from "../../../src/base/bytes/digest.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { WorkerPort } from "../../../src/base/platform.ts";
import { createCounts } from "../../../src/base/telemetry/count.ts";
import type { JobTimes } from "../../../src/base/telemetry/job-clock.ts";
import { jobStages } from "../../../src/base/telemetry/job-stages.ts";
import { createCodecs } from "../../../src/imaging/codecs/index.ts";
import type { RenderPlan } from "../../../src/imaging/codecs/plan.ts";
import { runTask } from "../../../src/imaging/render/job.ts";
import { openFileAtOnce } from "../../../src/server/platform/files/node-files.ts";
import { nodePlatform } from "../../../src/server/platform/node.ts";
import { startNodeWorker } from "../../../src/server/platform/workers/node-worker.ts";
import {
  type Job,
  type JobWatch,
  type Pool,
  type PoolOptions,
  poolCounts,
  WorkerPool,
} from "../../../src/server/workers/pool.ts";
import { readCounts } from "../../counts.ts";
import { deferred } from "../../deferred.ts";
import { fixture, testHost } from "../../host.ts";
import { noiseBytes } from "../../imaging/codecs/jpg/cjpeg.ts";
import { transformOf } from "../../imaging/codecs/jpg/transform-of.ts";

const directory = mkdtempSync(join(tmpdir(), "smalti-pool-"));
const dist = pathToFileURL(`${directory}/`);
const platform = nodePlatform(dist);
const codecs = createCodecs(testHost);
const name = "base.png";
const path = fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
const { size, id } = openFileAtOnce(path).stat();
const file = { path, size, id };
const master = fixture(name);
let plan: RenderPlan;

beforeAll(async () => {
  await build({ outdir: directory, only: "thread", quiet: true });
  writeFileSync(
    join(directory, "dying.mjs"),
    'import { parentPort } from "node:worker_threads";\nparentPort.on("message", ({ kind }) => { if (kind === "job") process.exit(3); });\n',
  );
  const header = await codecs.decoder("png").probe(memoryBytes(master), 1);
  const { width, height } = header;
  const read = { header, page: 1, region: { x: 0, y: 0, width, height }, scaleFactor: 1 };
  const steps = [{ op: "crop", left: 0, top: 0, width: 16, height: 8 }] as const;
  plan = {
    read,
    transform: transformOf(read, steps),
    steps,
    write: { format: "png", quality: 80, progressive: false, chroma: "420", encoder: "fast" },
    memory: 1 << 20,
  };
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

const open: Pool[] = [];
afterEach(() => {
  for (const pool of open.splice(0)) pool.close();
});

function poolOf(options: Partial<PoolOptions> = {}) {
  const counts = createCounts(...poolCounts);
  const pool = new WorkerPool({ platform, size: 1, counts, ...options });
  open.push(pool);
  return { pool, counts };
}

/** A master whose first read stays open; `asked` resolves when a worker has requested it. */
function hangingBytes(): { bytes: ByteSource; asked: Promise<void> } {
  let ask = () => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const read = () => {
    ask();
    return new Promise<Uint8Array>(() => {});
  };
  return { bytes: { size: master.length, read }, asked };
}

const limits = { timeoutMs: 240_000 };
/** A job that renders by a plan. */
const rendering = ({ plan, ...job }: Omit<Job, "task" | "memory"> & { readonly plan: RenderPlan }): Job => ({
  task: { kind: "render", plan },
  ...job,
  memory: plan.memory,
});
const renderedHere = (plan: RenderPlan, bytes: ByteSource, data?: Uint8Array) =>
  runTask({ kind: "render", plan }, { codecs, bytes, overlay: data && { load: async () => data } });
const inPlace = () => renderedHere(plan, memoryBytes(master));
/** Results of a worker that opened the file itself. */
const byFile = async () => ({ ...(await inPlace()), unchanged: true });
const codeOf = (result: Promise<unknown>) =>
  result.then(
    () => "resolved",
    (error) => `${error.kind} ${error.code}`,
  );
/** Resolves when the pool has no busy worker. */
async function settled(pool: Pool): Promise<void> {
  while (pool.status().busy > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("jobs on workers", () => {
  it("return the same bytes as the same job in place, by file and through the channel", async () => {
    const { pool } = poolOf();
    const expected = await inPlace();
    expect(await pool.run(rendering({ plan, file, bytes: memoryBytes(master) }), limits)).toEqual(
      await byFile(),
    );
    expect(await pool.run(rendering({ plan, bytes: memoryBytes(master) }), limits)).toEqual(expected);
  });

  it("load a module on demand when a job first needs it, and none for a JPEG", async () => {
    const loaded: string[] = [];
    const loadWasm = (name: string) => {
      loaded.push(name);
      return platform.loadWasm(name);
    };
    const { pool } = poolOf({ platform: { ...platform, loadWasm }, size: 2 });
    const job = { file, bytes: memoryBytes(master) };
    const jobOf = (format: string) =>
      rendering({ plan: { ...plan, write: { ...plan.write, format } }, ...job });
    await pool.run(jobOf("jpg"), limits);
    expect(loaded).toEqual([]);
    const [one, other] = await Promise.all(["avif", "avif"].map((format) => pool.run(jobOf(format), limits)));
    expect(loaded).toEqual(["avif-encode", "avif-encode"]); // both workers ask the one loader
    expect(other!.bytes).toEqual(one!.bytes);
    expect(Buffer.from(one!.bytes.subarray(4, 12)).toString()).toBe("ftypavif");
    await pool.run(jobOf("avif"), limits);
    expect(loaded.length).toBe(2);
  });

  it("report their costs: each read and its bytes, and stages within the time of the job", async () => {
    const { pool } = poolOf();
    const read = { count: 0, bytes: 0 };
    const bytes: ByteSource = {
      size: master.length,
      async read(offset, length) {
        const part = await memoryBytes(master).read(offset, length);
        read.count++;
        read.bytes += part.length;
        return part;
      },
    };
    let began = 0;
    const workers: number[] = [];
    const all: JobTimes[] = [];
    const watch: JobWatch = {
      began(worker) {
        began = performance.now();
        workers.push(worker);
      },
      did: (times) => void all.push(times),
    };
    await pool.run(rendering({ plan, bytes }), { ...limits, watch });
    const taken = performance.now() - began;
    expect(workers).toEqual([1]);
    const [times] = all;
    expect(times).toMatchObject({ reads: read.count, readBytes: read.bytes });
    const stages = jobStages.flatMap((stage) => times?.[stage] ?? []);
    expect(Math.min(...stages)).toBeGreaterThanOrEqual(0);
    expect(stages.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(taken);
    for (const stage of ["read", "decode", "encode"] as const)
      expect(times?.[stage], stage).toBeGreaterThan(0);
    // There is no sidecar.
    expect(times?.index).toBeUndefined();
  });

  it("report the memory of their workers: two have more than one, and a busy one as much as before", async () => {
    const { pool } = poolOf({ size: 2 });
    const job = { plan, file, bytes: memoryBytes(master) };
    await pool.run(rendering(job), limits);
    const one = (await pool.memory?.()) ?? 0;
    expect(one).toBeGreaterThan(2 ** 20);
    await Promise.all([pool.run(rendering(job), limits), pool.run(rendering(job), limits)]);
    expect(pool.status().workers).toBe(2);
    expect(await pool.memory?.()).toBeGreaterThan(1.1 * one);
    const { bytes, asked } = hangingBytes();
    const hanging = codeOf(pool.run(rendering({ plan, bytes }), limits));
    await asked;
    expect(await pool.memory?.()).toBeGreaterThan(1.1 * one);
    pool.close();
    await hanging;
  });

  it("ask for the pixels of an overlay once, and lay them on as a job in place does", async () => {
    const { pool } = poolOf();
    const data = noiseBytes(8 * 4 * 4, 5);
    const image = { digest: "first", width: 8, height: 4 };
    const step = {
      op: "overlay",
      profile: false,
      anchor: "bottom-right",
      offset: [2, 1],
      fit: "shrink",
      opacity: 0.7,
    } as const;
    const marked = { ...plan, steps: [...plan.steps, { ...step, ...image }] };
    const bytes = memoryBytes(master);
    let taken = 0;
    const overlay = {
      ...image,
      get data() {
        taken++;
        return data;
      },
    };
    const expected = await renderedHere(marked, bytes, data);
    expect(expected).not.toEqual(await inPlace());
    for (let i = 0; i < 3; i++)
      expect(await pool.run(rendering({ plan: marked, bytes, overlay }), limits)).toEqual(expected);
    expect(taken).toBe(1);
    expect(data.length).toBe(8 * 4 * 4); // not taken away by a transfer
    const unknown = { ...plan, steps: [...plan.steps, { ...step, ...image, digest: "second" }] };
    expect(await codeOf(pool.run(rendering({ plan: unknown, bytes }), limits))).toBe("decode decode_failed");
  });

  it("leave the caller's bytes intact if a read returns a part of a larger array", async () => {
    const { pool } = poolOf();
    const bytes: ByteSource = {
      size: master.length,
      read: async (at, length) => master.subarray(at, at + length),
    };
    expect(await pool.run(rendering({ plan, bytes }), limits)).toEqual(await inPlace());
    expect(master.subarray(0, 2)).toEqual(new Uint8Array([0x89, 0x50]));
  });

  it("do not read a file that replaced the checked one", async () => {
    const { pool } = poolOf();
    const bytes: ByteSource = { size: 1, read: () => Promise.reject(new Error("read")) };
    for (const other of [
      { ...file, id: "0:0:0" },
      { ...file, size: file.size + 1 },
    ])
      expect(await codeOf(pool.run(rendering({ plan, file: other, bytes }), limits))).toBe(
        "changed source_changed",
      );
  });

  it("do not read through the channel when a file is given", async () => {
    const { pool } = poolOf();
    const bytes: ByteSource = { size: 1, read: () => Promise.reject(new Error("read")) };
    expect((await pool.run(rendering({ plan, file, bytes }), limits)).bytes.length).toBeGreaterThan(0);
  });

  it("pass on the blocks of a sidecar with their SHA-256", async () => {
    const [width, height] = [1200, 1000];
    const data = noiseBytes(width * height * 3, 5);
    const png = await codecs
      .encoder("png")
      .encode(
        { width, height, bands: 3, interpretation: "rgb", data },
        { format: "png", quality: 80, progressive: false, chroma: "444", encoder: "fast" },
      );
    const header = await codecs.decoder("png").probe(memoryBytes(png), 1);
    const kept: Uint8Array[] = [];
    const blocks = {
      room: 2 ** 30,
      load: async () => undefined,
      keep: async (_: number, block: Uint8Array) => void kept.push(block),
    };
    const sidecar = { id: "blocks", load: async () => new Uint8Array(), blocks };
    const { pool } = poolOf();
    const task = { kind: "sidecar", layer: "pyramid", header, page: 1 } as const;
    await pool.run({ task, memory: 64 << 20, bytes: memoryBytes(png), sidecar }, limits);
    expect(kept.length).toBeGreaterThan(2);
    for (const block of kept)
      expect(Buffer.from(notedDigest(block)!)).toEqual(createHash("sha256").update(block).digest());
  });

  it("read ranges of a remote master as one if its source prefers to fetch the gap", async () => {
    const width = 4096;
    const height = 64;
    const noise = noiseBytes(width * height * 3, 3);
    const jpeg = await codecs
      .encoder("jpg")
      .encode(
        { width, height, bands: 3, interpretation: "rgb", data: noise },
        { format: "jpg", quality: 95, progressive: false, chroma: "444", encoder: "fast" },
      );
    // A few columns: of each of the 8 rows a small range, with the rest of a row between it and the next.
    const row = jpeg.length / 8;
    expect(row).toBeGreaterThan(64 * 1024);
    expect(row).toBeLessThan(250 * 1024);
    const header = await codecs.decoder("jpg").probe(memoryBytes(jpeg), 1);
    const { pool } = poolOf();
    const { bytes: index } = await pool.run(
      {
        task: { kind: "sidecar", header, page: 1, layer: "ground" },
        memory: 1 << 20,
        bytes: memoryBytes(jpeg),
      },
      limits,
    );
    const region = { x: 2048, y: 0, width: 8, height };
    const narrow: RenderPlan = { ...plan, read: { header, page: 1, region, scaleFactor: 1 }, steps: [] };
    const readsWith = async (gap: number | undefined) => {
      let reads = 0;
      const { read } = memoryBytes(jpeg);
      const bytes: ByteSource = {
        size: jpeg.length,
        ...(gap !== undefined && { gap }),
        read(offset, length) {
          reads++;
          return read(offset, length);
        },
      };
      const access = { id: `index for ${gap}`, load: async () => index };
      const answer = await pool.run(rendering({ plan: narrow, bytes, sidecar: access }), limits);
      return { reads, answer };
    };
    const apart = await readsWith(undefined);
    const together = await readsWith(256 * 1024);
    expect(apart.reads).toBeGreaterThanOrEqual(8);
    expect(together.reads).toBeLessThanOrEqual(apart.reads - 6);
    expect(together.answer).toEqual(apart.answer);
    // Reads through the main thread merge gaps up to a fixed size, which a smaller setting does not reduce.
    expect((await readsWith(0)).reads).toBe(apart.reads);
  });

  it("run on the configured number of workers, started on demand", async () => {
    const { pool, counts } = poolOf({ size: 2 });
    expect(pool.status()).toEqual({ size: 2, workers: 1, busy: 0, waiting: 0, queued: 0 });
    const job = { plan, file, bytes: memoryBytes(master) };
    const results = [1, 2, 3, 4].map(() => pool.run(rendering(job), limits));
    expect(pool.status()).toEqual({ size: 2, workers: 2, busy: 2, waiting: 0, queued: 2 });
    await Promise.all(results);
    await settled(pool);
    expect(readCounts(counts)).toMatchObject({ done: 4, started: 2, errors: 0 });
  });

  it("carry a decoder's error with its kind and code across the thread", async () => {
    const { pool, counts } = poolOf();
    const damaged = memoryBytes(master.slice(0, 30));
    const expected = await codeOf(renderedHere(plan, damaged));
    expect(expected).toMatch(/^decode /);
    expect(await codeOf(pool.run(rendering({ plan, bytes: damaged }), limits))).toBe(expected);
    expect(readCounts(counts).errors).toBe(1);
  });

  it("report a file that is not there as source, and go on", async () => {
    const { pool } = poolOf();
    const bytes = memoryBytes(master);
    expect(
      await codeOf(pool.run(rendering({ plan, file: { ...file, path: `${path}.none` }, bytes }), limits)),
    ).toBe("source source");
    expect((await pool.run(rendering({ plan, file, bytes }), limits)).bytes.length).toBeGreaterThan(0);
  });
});

describe("limits", () => {
  it("end a job that is late with render_timeout and replace its worker", async () => {
    const { pool, counts } = poolOf();
    const { bytes } = hangingBytes();
    expect(await codeOf(pool.run(rendering({ plan, bytes }), { timeoutMs: 300 }))).toBe(
      "timeout render_timeout",
    );
    expect(await pool.run(rendering({ plan, file, bytes }), limits)).toEqual(await byFile());
    expect(readCounts(counts)).toMatchObject({ timeouts: 1, started: 2 });
  });

  it("do not count the time that a job waits", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { pool } = poolOf();
      const first = hangingBytes();
      const late = codeOf(pool.run(rendering({ plan, bytes: first.bytes }), { timeoutMs: 5000 }));
      const next = pool.run(rendering({ plan, file, bytes: first.bytes }), { timeoutMs: 1000 });
      next.catch(() => {});
      vi.advanceTimersByTime(4999);
      expect(pool.status().queued).toBe(1);
      vi.advanceTimersByTime(1);
      expect(await late).toBe("timeout render_timeout");
      expect((await next).bytes.length).toBeGreaterThan(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("cancel running and waiting jobs when the pool closes", async () => {
    const { pool, counts } = poolOf();
    const { bytes } = hangingBytes();
    const running = codeOf(pool.run(rendering({ plan, bytes }), limits));
    const waiting = codeOf(pool.run(rendering({ plan, bytes }), limits));
    expect(pool.status()).toMatchObject({ busy: 1, queued: 1 });
    pool.close();
    expect(await Promise.all([running, waiting])).toEqual(["cancelled cancelled", "cancelled cancelled"]);
    expect(readCounts(counts).cancelled).toBe(2);
  });

  it("end as busy if the source accepts no more reads, and count as refused", async () => {
    const { pool, counts } = poolOf();
    const read = () => Promise.reject(new ServiceError("busy", "Too many files at once."));
    const bytes = { size: memoryBytes(master).size, read };
    expect(await codeOf(pool.run(rendering({ plan, bytes }), limits))).toBe("busy busy");
    expect(readCounts(counts)).toMatchObject({ refused: 1, errors: 0, replaced: 0 });
  });

  it("replace a worker after a job whose estimate is above the bound", async () => {
    const { pool, counts } = poolOf({ maxJobBytes: 1 << 19 });
    const job = { plan, file, bytes: memoryBytes(master) };
    await pool.run(rendering(job), limits);
    await settled(pool);
    expect(pool.status().workers).toBe(0);
    await pool.run(rendering(job), limits);
    expect(readCounts(counts).started).toBe(2);
  });
});

describe("a job that waits for bytes", () => {
  /** Lets milliseconds of the test's clock pass until a promise is settled. */
  async function passing<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    void promise.finally(() => (isOver = true)).catch(() => {});
    await expect.poll(() => vi.advanceTimersByTime(1) && isOver, { interval: 5 }).toBe(true);
    return promise;
  }
  /** A permit that can always be taken again. */
  const permit = () => {
    const left = deferred();
    return { permit: { leave: left.resolve, back: async () => {} }, whenLeft: left.promise };
  };
  /** A master that can be read when it is let go; `asked` as in {@link hangingBytes}. */
  function heldBytes() {
    const { bytes, asked } = hangingBytes();
    const held = deferred();
    const read = async (at: number, length: number) => {
      void bytes.read(at, length);
      await held.promise;
      return master.slice(at, at + length);
    };
    return { bytes: { size: master.length, read }, asked, letGo: held.resolve };
  }

  it("has no permit meanwhile, and another worker does the next job", async () => {
    for (const each of [platform, { ...platform, startWorker: undefined as never }]) {
      const { pool } = poolOf({ platform: each, ...(each !== platform && { codecs }) });
      const { permit: own, whenLeft } = permit();
      const { bytes, letGo } = heldBytes();
      const waits = pool.run(rendering({ plan, bytes }), { ...limits, permit: own });
      await whenLeft;
      expect(pool.status()).toMatchObject({ busy: 1, waiting: 1 });
      expect(await pool.run(rendering({ plan, bytes: memoryBytes(master) }), limits)).toEqual(
        await inPlace(),
      );
      letGo();
      expect(await waits).toEqual(await inPlace());
      await settled(pool);
      expect(pool.status()).toMatchObject({ busy: 0, waiting: 0 });
    }
  });

  it("leaves a worker more, which stays as long as it has jobs, and ends 10 s after its last one", async () => {
    const { pool, counts } = poolOf();
    const { permit: own, whenLeft } = permit();
    const { bytes, letGo } = heldBytes();
    const waits = pool.run(rendering({ plan, bytes }), { ...limits, permit: own });
    await whenLeft;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      for (let n = 0; n < 5; n++) {
        await pool.run(rendering({ plan, bytes: memoryBytes(master) }), limits);
        vi.advanceTimersByTime(9000);
        expect(pool.status().workers).toBe(2);
      }
      vi.advanceTimersByTime(1000);
      expect(pool.status().workers).toBe(1);
    } finally {
      vi.useRealTimers();
    }
    letGo();
    expect(await waits).toEqual(await inPlace());
    expect(readCounts(counts).started).toBe(2);
  });

  it("does not spend its time on that", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
    try {
      for (const each of [platform, { ...platform, startWorker: undefined as never }]) {
        const { pool, counts } = poolOf({ platform: each, ...(each !== platform && { codecs }) });
        const { permit: own, whenLeft } = permit();
        const { bytes, letGo } = heldBytes();
        const timeoutMs = 4000;
        const waits = pool.run(rendering({ plan, bytes }), { timeoutMs, permit: own });
        await passing(whenLeft);
        vi.advanceTimersByTime(timeoutMs + 500);
        letGo();
        expect(await passing(waits)).toEqual(await inPlace());
        expect(readCounts(counts).timeouts).toBe(0);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it("keeps its permit for bytes that arrive immediately", async () => {
    const { pool } = poolOf();
    let leaves = 0;
    const own = { leave: () => void leaves++, back: async () => {} };
    expect(
      await pool.run(rendering({ plan, bytes: memoryBytes(master) }), { ...limits, permit: own }),
    ).toEqual(await inPlace());
    expect(leaves).toBe(0);
  });

  it("continues only when it has its permit again", async () => {
    const { pool } = poolOf();
    const [left, asksBack, free] = [deferred(), deferred(), deferred()];
    const own = {
      leave: left.resolve,
      back: () => {
        asksBack.resolve();
        return free.promise;
      },
    };
    const { bytes, letGo } = heldBytes();
    let done = false;
    const result = pool.run(rendering({ plan, bytes }), { ...limits, permit: own }).then((answer) => {
      done = true;
      return answer;
    });
    await left.promise;
    letGo();
    await asksBack.promise;
    expect(pool.status().waiting).toBe(1);
    expect(done).toBe(false);
    free.resolve();
    expect(await result).toEqual(await inPlace());
  });

  it("is dropped when its client has left, and its read is cancelled", async () => {
    const { pool, counts } = poolOf();
    const { permit: own, whenLeft } = permit();
    const gone = new AbortController();
    let told: AbortSignal | undefined;
    const bytes: ByteSource = {
      size: master.length,
      read: (_at, _length, signal) => {
        told = signal;
        return new Promise(() => {});
      },
    };
    const running = codeOf(
      pool.run(rendering({ plan, bytes }), { ...limits, signal: gone.signal, permit: own }),
    );
    await whenLeft;
    gone.abort();
    expect(await running).toBe("cancelled cancelled");
    expect(told?.aborted).toBe(true);
    await settled(pool);
    expect(pool.status().waiting).toBe(0);
    expect(readCounts(counts).cancelled).toBe(1);
  });
});

describe("cancelling", () => {
  it("drops a waiting job immediately", async () => {
    const { pool, counts } = poolOf();
    const { bytes } = hangingBytes();
    void codeOf(pool.run(rendering({ plan, bytes }), limits));
    const gone = new AbortController();
    const waiting = codeOf(pool.run(rendering({ plan, bytes }), { ...limits, signal: gone.signal }));
    expect(pool.status().queued).toBe(1);
    gone.abort();
    expect(await waiting).toBe("cancelled cancelled");
    expect(pool.status().queued).toBe(0);
    expect(readCounts(counts).cancelled).toBe(1);
  });

  it("frees the worker of a job that waits for bytes, without ending it", async () => {
    const { pool, counts } = poolOf({ cancelGraceMs: 60_000 });
    const { bytes, asked } = hangingBytes();
    const gone = new AbortController();
    const running = codeOf(pool.run(rendering({ plan, bytes }), { ...limits, signal: gone.signal }));
    await asked;
    gone.abort();
    expect(await running).toBe("cancelled cancelled");
    expect(await pool.run(rendering({ plan, file, bytes }), limits)).toEqual(await byFile());
    expect(readCounts(counts).started).toBe(1);
  });

  it("ends the worker of a job that does not stop within the grace", async () => {
    writeFileSync(
      join(directory, "deaf.mjs"),
      'import { parentPort } from "node:worker_threads";\nparentPort.on("message", ({ kind }) => { if (kind === "job") for (;;); else parentPort.postMessage({ kind: "ready" }); });\n',
    );
    const threads = ["deaf.mjs", "thread.js"];
    const startWorker = () => startNodeWorker(new URL(threads.shift() ?? "thread.js", dist));
    const { pool } = poolOf({ platform: { ...platform, startWorker }, cancelGraceMs: 50 });
    const gone = new AbortController();
    const bytes = memoryBytes(master);
    const running = codeOf(pool.run(rendering({ plan, file, bytes }), { ...limits, signal: gone.signal }));
    gone.abort();
    expect(await running).toBe("cancelled cancelled");
    expect(await pool.run(rendering({ plan, file, bytes }), limits)).toEqual(await byFile());
    expect(threads).toEqual([]);
  });

  it("gives a worker that is still starting its grace only once it has started", async () => {
    let tell: (message: unknown) => void = () => {};
    let killed = () => {};
    let isAlive = true;
    const end = new Promise<void>((resolve) => {
      killed = resolve;
    });
    const startWorker = (): WorkerPort => ({
      post() {},
      onMessage(listener) {
        tell = listener;
      },
      onDeath() {},
      kill() {
        isAlive = false;
        killed();
      },
    });
    const { pool } = poolOf({ platform: { ...platform, startWorker }, cancelGraceMs: 1 });
    const gone = new AbortController();
    const bytes = memoryBytes(master);
    const running = codeOf(pool.run(rendering({ plan, file, bytes }), { ...limits, signal: gone.signal }));
    gone.abort();
    expect(await running).toBe("cancelled cancelled");
    await new Promise((resolve) => setTimeout(resolve, 30)); // longer than its grace
    expect(isAlive).toBe(true);
    tell({ kind: "ready" });
    await end;
    expect(isAlive).toBe(false);
  });

  it("keeps its worker through a hundred jobs whose clients leave", async () => {
    const { pool, counts } = poolOf({ cancelGraceMs: 60_000 });
    const bytes = memoryBytes(master);
    for (let i = 0; i < 100; i++) {
      const gone = new AbortController();
      const running = codeOf(pool.run(rendering({ plan, file, bytes }), { ...limits, signal: gone.signal }));
      gone.abort();
      expect(await running).toBe("cancelled cancelled");
    }
    expect(await pool.run(rendering({ plan, file, bytes }), limits)).toEqual(await byFile());
    expect(readCounts(counts).started).toBe(1);
  });

  it("refuses a job whose client has already left", async () => {
    const { pool } = poolOf();
    const job = { plan, file, bytes: memoryBytes(master) };
    expect(await codeOf(pool.run(rendering(job), { ...limits, signal: AbortSignal.abort() }))).toBe(
      "cancelled cancelled",
    );
  });
});

describe("a worker that dies", () => {
  it("fails its job with worker_died and is replaced", async () => {
    const threads = ["dying.mjs", "thread.js"];
    const startWorker = () => startNodeWorker(new URL(threads.shift() ?? "thread.js", dist));
    const { pool, counts } = poolOf({ platform: { ...platform, startWorker } });
    const job = { plan, file, bytes: memoryBytes(master) };
    expect(await codeOf(pool.run(rendering(job), limits))).toBe("decode worker_died");
    expect(await pool.run(rendering(job), limits)).toEqual(await byFile());
    expect(readCounts(counts).deaths).toBe(1);
  });

  it("fails no job when it dies while idle", async () => {
    writeFileSync(join(directory, "idle.mjs"), "process.exit(4);\n");
    let died = () => {};
    const death = new Promise<void>((resolve) => {
      died = resolve;
    });
    const threads = ["idle.mjs", "thread.js"];
    const startWorker = () => {
      const port = startNodeWorker(new URL(threads.shift() ?? "thread.js", dist));
      port.onDeath(died);
      return port;
    };
    const { pool } = poolOf({ platform: { ...platform, startWorker } });
    await death;
    expect(await pool.run(rendering({ plan, file, bytes: memoryBytes(master) }), limits)).toEqual(
      await byFile(),
    );
  });
});

describe("a worker that cannot be started", () => {
  /** A platform on which one worker can be started, from a file. */
  const startsOne = (thread: string) => {
    let left = 1;
    const startWorker = () => {
      if (left-- <= 0) throw new Error("no thread");
      return startNodeWorker(new URL(thread, dist));
    };
    return { ...platform, startWorker };
  };

  it("fails the job instead of leaving it in the queue", async () => {
    const { pool } = poolOf({ platform: startsOne("dying.mjs") });
    const job = { plan, bytes: memoryBytes(master) };
    expect(await codeOf(pool.run(rendering(job), limits))).toBe("decode worker_died");
    await expect(pool.run(rendering(job), limits)).rejects.toThrow("no thread");
    expect(pool.status()).toMatchObject({ workers: 0, queued: 0 });
  });

  it("leaves the job to one that runs", async () => {
    const { pool } = poolOf({ platform: startsOne("thread.js"), size: 2 });
    const { bytes, asked } = hangingBytes();
    const gone = new AbortController();
    const running = codeOf(pool.run(rendering({ plan, bytes }), { ...limits, signal: gone.signal }));
    await asked;
    const waiting = pool.run(rendering({ plan, bytes: memoryBytes(master) }), limits);
    expect(pool.status()).toMatchObject({ workers: 1, queued: 1 });
    gone.abort();
    expect(await running).toBe("cancelled cancelled");
    expect(await waiting).toEqual(await inPlace());
  });
});

describe("without workers", () => {
  const { startWorker: _, ...without } = platform;

  it("runs jobs in place, one after another", async () => {
    const { pool } = poolOf({ platform: without, codecs, size: 4 });
    const job = { plan, bytes: memoryBytes(master) };
    const results = [pool.run(rendering(job), limits), pool.run(rendering(job), limits)];
    expect(pool.status()).toEqual({ size: 1, workers: 1, busy: 1, waiting: 0, queued: 1 });
    const expected = await inPlace();
    for (const result of await Promise.all(results)) expect(result).toEqual(expected);
  });

  it("learns of a client that leaves while the job keeps the thread busy, and reads no further", async () => {
    const { pool } = poolOf({ platform: without, codecs });
    const jpeg = fixture("jpg-baseline-420.jpg");
    const header = await codecs.decoder("jpg").probe(memoryBytes(jpeg), 1);
    const region = { x: 0, y: 0, width: header.width, height: header.height };
    const whole: RenderPlan = { ...plan, read: { header, page: 1, region, scaleFactor: 1 } };
    const gone = new AbortController();
    setTimeout(() => gone.abort());
    let reads = 0;
    const bytes: ByteSource = {
      size: jpeg.length,
      read: async (at, length) => {
        reads++;
        return jpeg.slice(at, at + length);
      },
    };
    const leaving = { ...limits, signal: gone.signal };
    expect(await codeOf(pool.run(rendering({ plan: whole, bytes }), leaving))).toBe("cancelled cancelled");
    expect(reads).toBe(0);
  });

  it("reads no further once its client has gone", async () => {
    const { pool } = poolOf({ platform: without, codecs });
    const gone = new AbortController();
    let reads = 0;
    const counting: ByteSource = {
      size: master.length,
      read: async (at, length) => {
        if (++reads === 2) gone.abort();
        return master.slice(at, at + Math.min(length, 1024));
      },
    };
    const leaving = { ...limits, signal: gone.signal };
    expect(await codeOf(pool.run(rendering({ plan, bytes: counting }), leaving))).toBe("cancelled cancelled");
    expect(reads).toBe(2);
  });

  it("notices between stages that the client has gone or the time is over", async () => {
    const { pool } = poolOf({ platform: without, codecs });
    const gone = new AbortController();
    const aborting: ByteSource = {
      size: master.length,
      read: async (at, length) => {
        gone.abort();
        return master.slice(at, at + length);
      },
    };
    expect(
      await codeOf(pool.run(rendering({ plan, bytes: aborting }), { ...limits, signal: gone.signal })),
    ).toBe("cancelled cancelled");
    const slow: ByteSource = {
      size: master.length,
      read: async (at, length) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return master.slice(at, at + length);
      },
    };
    expect(await codeOf(pool.run(rendering({ plan, bytes: slow }), { timeoutMs: 20 }))).toBe(
      "timeout render_timeout",
    );
  });
});
