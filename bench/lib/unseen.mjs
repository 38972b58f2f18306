// First contact: what the first tile of an unknown file costs a warmed-up server.

import { constants, copyFileSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import http from "node:http";
import { extname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ask, fault } from "./http.mjs";
import { mean, median } from "./numbers.mjs";
import { spent, usage } from "./processes.mjs";
import { turn, warmUp } from "./replay.mjs";
import { start } from "./servers.mjs";
import { sample, session, tileRequest } from "./session.mjs";

/**
 * Starts each server once, warms it with a session on `picture`, then requests in turn a full-resolution tile
 * in the middle of `count` copies of it under new names, and the tiles around it. Returns per server: median
 * `first` ms, mean `cpu` ms until the server is quiet again, median `next` ms of the later tiles; and the
 * faults.
 */
export async function firstContact(names, picture, size, { count, warming = 30, ...options }) {
  const folder = mkdtempSync(join(options.sources, "unseen-"));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", clean); // an interrupted run, too
  const copies = Array.from({ length: count }, (_, i) => copy(options.sources, picture, folder, i));
  const started = [];
  try {
    const warm = sample(session(size, { tile: options.tile }), warming);
    for (const name of names) {
      const server = await start(name, { ...options, sources: folder });
      started.push({ name, server, seen: [], faults: {} });
      await warmUp(server, copy(options.sources, picture, folder, "warming"), warm, options.warm);
    }
    for (const [round, unseen] of copies.entries())
      for (const each of turn(started, round)) {
        const { problem, ...figures } = await contact(each.server, unseen, size, options.tile);
        if (problem) each.faults[problem] = (each.faults[problem] ?? 0) + 1;
        else each.seen.push(figures);
      }
  } finally {
    for (const { server } of started) await server.stop();
    clean();
    process.off("exit", clean);
  }
  return started.map(({ name, seen, faults }) => ({
    picture,
    server: name,
    answers: seen.length,
    first: median(seen.map((each) => each.first)),
    cpu: mean(seen.map((each) => each.cpu).filter(Number.isFinite)),
    next: median(seen.map((each) => each.next)),
    faults,
  }));
}

/**
 * Copies a file into `folder` and returns its name there: another name, location and time, so that no cache
 * mistakes it for the original.
 */
export function copy(sources, picture, folder, label) {
  const name = `${label}${extname(picture)}`;
  copyFileSync(join(sources, picture), join(folder, name), constants.COPYFILE_FICLONE);
  const time = new Date(Date.now() - 60_000 - (typeof label === "number" ? label * 1000 : 500));
  utimesSync(join(folder, name), time, time);
  return name;
}

async function contact(server, picture, size, tile) {
  const column = Math.floor(size.width / tile / 2);
  const row = Math.floor(size.height / tile / 2);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const get = async (dx, dy) => {
    const request = tileRequest(size, tile, 1, column + dx, row + dy);
    const answer = await ask(server.url(picture, request.path), agent);
    return { ms: answer.ms, problem: fault(request, answer) };
  };
  try {
    const before = usage(server.pid);
    const { ms: first, problem } = await get(0, 0);
    if (problem) return { problem };
    const cpu = spent(before, await quiet(server.pid));
    const later = [await get(1, 0), await get(0, -1), await get(-1, 0)];
    return { first, cpu, next: median(later.map((each) => each.ms)) };
  } catch (error) {
    return { problem: error.code ?? error.message };
  } finally {
    agent.destroy();
  }
}

/** The reading after which a server has used no CPU time for a tenth of a second (at most 5 s later). */
export async function quiet(pid) {
  let last = usage(pid);
  for (const end = Date.now() + 5000; Date.now() < end; ) {
    await pause(100);
    const now = usage(pid);
    if (!now || now.cpu === last.cpu) return now;
    last = now;
  }
  return last;
}
