// Replays requests against one running server and measures what they cost it.

import http from "node:http";
import { ask, fault } from "./http.mjs";
import { mean, median, quantile } from "./numbers.mjs";
import { spent, usage } from "./processes.mjs";
import { start } from "./servers.mjs";
import { gridTiles, sample, scaleFactors, session } from "./session.mjs";

/** A server with only wrong responses is abandoned early. */
const enoughFaults = 8;

/** Milliseconds after which the CPU clock, which counts tens of them, has said something. */
const enoughTime = 400;

/** Minimum and maximum duration of the warm-up of each server. */
const warming = { leastMs: 2000, mostSeconds: 10 };

/**
 * Sends the requests for a picture, `concurrency` at a time, and starts none after `seconds`. With `atLeast`
 * (ms) all of them repeat until that time has passed. Returns milliseconds per response (p50, p95), responses
 * per second, CPU ms and KB per response, and the faults with their counts; a response with a fault does not
 * count as one.
 */
export async function pass(server, picture, requests, { concurrency = 1, seconds = 20, atLeast = 0 }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  const times = [];
  const faults = {};
  let sent = 0;
  let bytes = 0;
  let wrong = 0;
  const before = usage(server.pid);
  const began = performance.now();
  const gone = () => performance.now() - began;
  const complete = () => sent > 0 && sent % requests.length === 0 && gone() >= atLeast;
  const another = () => wrong < enoughFaults && gone() < seconds * 1000 && !complete();

  async function client() {
    while (another()) {
      const request = requests[sent++ % requests.length];
      const { ms, size, problem } = await answered(server.url(picture, request.path), agent, request);
      if (problem) {
        faults[problem] = (faults[problem] ?? 0) + 1;
        wrong++;
        continue;
      }
      times.push(ms);
      bytes += size;
    }
  }
  await Promise.all(Array.from({ length: concurrency }, client));
  const wall = gone();
  const cpu = spent(before, usage(server.pid));
  agent.destroy();
  const answers = times.length;
  return {
    answers,
    faults,
    p50: median(times),
    p95: quantile(times, 0.95),
    perSecond: answers / (wall / 1000),
    cpu: answers > 0 && cpu !== undefined ? cpu / answers : undefined,
    kilobytes: answers > 0 ? bytes / 1024 / answers : undefined,
  };
}

async function answered(url, agent, request) {
  try {
    const answer = await ask(url, agent);
    return { ms: answer.ms, size: answer.body.length, problem: fault(request, answer) };
  } catch (error) {
    return { problem: error.code ?? error.message };
  }
}

/**
 * Repeats the requests until a server has run for 2 s and sent that many responses, since code that has run
 * less is not compiled yet; at most for 10 s, which only servers reach whose responses take longer than
 * compiling their code.
 */
export async function warmUp(server, picture, requests, leastAnswers, concurrency = 1) {
  const { leastMs, mostSeconds } = warming;
  const began = performance.now();
  const gone = () => (performance.now() - began) / 1000;
  for (let answers = 0; gone() < mostSeconds && (answers < leastAnswers || gone() * 1000 < leastMs); ) {
    const { answers: more } = await pass(server, picture, requests, {
      concurrency,
      seconds: mostSeconds - gone(),
    });
    if (more === 0) return;
    answers += more;
  }
}

/**
 * Compares servers on one picture. Each run starts a server with empty caches and replays the session
 * `passes` times: the first pass is "cold", then comes the warm-up, the others are "warm". At concurrency 1
 * the tiles of each scale factor follow, alone, from anywhere in the picture. Servers take turns in each
 * repetition, starting with another one each time. Returns one row per concurrency, server and phase with
 * medians over the runs.
 */
export async function compare(names, picture, size, options) {
  const requests = sample(session(size, { tile: options.tile, seed: options.seed }), options.limit);
  const rows = [];
  for (const concurrency of options.concurrency) {
    const runs = new Map(names.map((name) => [name, []]));
    for (let repetition = 0; repetition < options.repetitions; repetition++)
      for (const name of turn(names, repetition)) {
        if (runs.get(name).at(-1)?.cold.answers === 0) continue;
        runs.get(name).push(await run(name, { picture, size, requests }, concurrency, options));
      }
    for (const [name, done] of runs) rows.push(...summary({ picture, concurrency, server: name }, done));
  }
  return rows;
}

/** The names in another order for each repetition. */
export const turn = (names, repetition) => names.map((_, i) => names[(i + repetition) % names.length]);

async function run(name, { picture, size, requests }, concurrency, options) {
  const server = await start(name, options);
  try {
    const settings = { concurrency, seconds: options.seconds };
    const cold = await pass(server, picture, requests, settings);
    if (cold.answers > 0) await warmUp(server, picture, requests, options.warm, concurrency);
    const warm = [];
    for (let n = 1; cold.answers > 0 && n < options.passes; n++)
      warm.push(await pass(server, picture, requests, { ...settings, atLeast: enoughTime }));
    const scales = {};
    if (concurrency === 1 && cold.answers > 0 && options.perScale > 0)
      for (const factor of scaleFactors(size, options.tile))
        scales[factor] = await pass(
          server,
          picture,
          gridTiles(size, options.tile, factor, options.perScale),
          {
            seconds: options.seconds,
            atLeast: enoughTime,
          },
        );
    return { cold, warm, scales, peak: usage(server.pid)?.peak };
  } finally {
    await server.stop();
  }
}

const measured = ["answers", "p50", "p95", "perSecond", "cpu", "kilobytes"];
const medians = (passes) => {
  const row = Object.fromEntries(measured.map((key) => [key, median(passes.map((each) => each[key]))]));
  const faults = {};
  for (const each of passes)
    for (const [problem, count] of Object.entries(each.faults))
      faults[problem] = (faults[problem] ?? 0) + count;
  return { ...row, faults };
};

function summary(key, runs) {
  const rows = [{ ...key, phase: "cold", ...medians(runs.map((each) => each.cold)) }];
  const warm = runs.flatMap((each) => each.warm);
  if (warm.length > 0) rows.push({ ...key, phase: "warm", ...medians(warm) });
  const last = rows.at(-1);
  last.peakMB = median(runs.map((each) => each.peak / 1e6));
  last.scales = {};
  for (const factor of Object.keys(runs[0].scales))
    last.scales[factor] = medians(
      runs.filter((each) => each.scales[factor]).map((each) => each.scales[factor]),
    );
  return rows;
}

/** Mean CPU ms of the scale factors that every row has; for comparing pictures of different sizes. */
export function commonScales(rows) {
  const common = Object.keys(rows[0].scales).filter((factor) => rows.every((row) => row.scales[factor]?.cpu));
  return { common, means: rows.map((row) => mean(common.map((factor) => row.scales[factor].cpu))) };
}
