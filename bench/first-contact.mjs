// What a server pays for images that nobody has opened: each request goes to a fresh copy of a picture.
//
//   npm run build && node bench/first-contact.mjs [--pictures 24mp-baseline.jpg,24mp-png.png] [--copies 3]
//     [--servers smalti,before,sharp,iipsrv] [--before OTHER/dist/main.js] [--requests thumbnail,middle]
//
// Prints for each picture, request and server the medians: milliseconds until the response; CPU milliseconds
// of all threads and children until the response, and until the server has used none for half a second; of
// these the CPU milliseconds of the main thread; and the ratio of the CPU until idle to the first server's.
// The servers take turns, each warmed by a session of thumbnails and tiles on other copies. Pictures:
// bench/sources.mjs.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { ask, fault } from "./lib/http.mjs";
import { median, ratio, table } from "./lib/numbers.mjs";
import { chosenPictures, machine, pictureSize, readOptions } from "./lib/options.mjs";
import { exactUsage, idle, spentExactly } from "./lib/processes.mjs";
import { turn } from "./lib/replay.mjs";
import { reads, start } from "./lib/servers.mjs";
import { tileRequest } from "./lib/session.mjs";
import { copy } from "./lib/unseen.mjs";

/** Returns the request for a picture that fits into a square. */
const within = (side) => (size) => {
  const scale = side / Math.max(size.width, size.height);
  const [width, height] = [Math.round(size.width * scale), Math.round(size.height * scale)];
  return { path: `full/!${side},${side}/0/default.jpg`, width, height, tolerance: 1 };
};
/** Returns the request for a tile at 1/factor, at a share of the way down and across. */
const tileAt = (factor, share) => (size) => {
  const place = (length) =>
    Math.min(Math.ceil(length / (512 * factor)) - 1, Math.floor((length * share) / (512 * factor)));
  return tileRequest(size, 512, factor, place(size.width), place(size.height));
};

/** The requests of a row go to one copy, one after another; only the last is measured. */
const requests = {
  "info.json": [() => ({ kind: "info", path: "info.json" })],
  thumbnail: [within(300)],
  "second size": [within(300), within(420)],
  overview: [tileAt(8, 0)],
  "1/4 middle": [tileAt(4, 0.5)],
  "1/2 middle": [tileAt(2, 0.5)],
  "1/1 middle": [tileAt(1, 0.5)],
  "1/1 bottom": [tileAt(1, 0.99)],
  "second tile": [tileAt(1, 0.5), tileAt(1, 0.7)],
};

const options = readOptions(
  { copies: "3", before: "", requests: Object.keys(requests).join(",") },
  "smalti,sharp,iipsrv",
);
const names = options.servers;
const wanted = options.requests.split(",");
const heading = ["picture", "request", "server", "ms", "cpu", "until idle", "main", `x ${names[0]}`];
const rows = [];
console.log(machine());
for (const picture of chosenPictures(options)) {
  const size = await pictureSize(options, picture);
  const measured = await measure(picture, size);
  rows.push(...measured);
  console.log(
    table(
      heading,
      measured.map((row) => heading.map((name) => row[name])),
      3,
    ),
  );
}
if (options.out) writeFileSync(options.out, JSON.stringify(rows, undefined, 1));

async function measure(picture, size) {
  const folder = mkdtempSync(join(options.sources, "unseen-"));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", clean); // an interrupted run, too
  const started = [];
  // Copies are made as they are needed, and differ in name and time.
  let copies = 0;
  try {
    for (const name of names.filter((each) => reads(each, picture))) {
      const server = await start(name, { ...options, sources: folder });
      try {
        for (let n = 0; n < 2; n++)
          for (const row of Object.values(requests)) {
            const unseen = copy(options.sources, picture, folder, copies++);
            for (const request of row) await get(server, unseen, request(size));
          }
        started.push({ name, server, seen: Object.fromEntries(wanted.map((each) => [each, []])) });
      } catch (error) {
        console.error(`left out: ${error.message}`);
        await server.stop();
      }
    }
    for (let round = 0; round < Number(options.copies); round++)
      for (const name of wanted)
        for (const { server, seen } of turn(started, round)) {
          const unseen = copy(options.sources, picture, folder, copies++);
          seen[name].push(
            await contact(
              server,
              unseen,
              requests[name].map((request) => request(size)),
            ),
          );
        }
  } finally {
    for (const { server } of started) await server.stop();
    clean();
    process.off("exit", clean);
  }
  if (started.length === 0) return [];
  return wanted.flatMap((request) => {
    const base = median(started[0].seen[request].map((each) => each["until idle"]));
    return started.map(({ name, seen }) => {
      const medians = ["ms", "cpu", "until idle", "main"].map((figure) => [
        figure,
        median(seen[request].map((each) => each[figure])),
      ]);
      const row = { picture, request, server: name, ...Object.fromEntries(medians) };
      return { ...row, [`x ${names[0]}`]: ratio(row["until idle"], base) };
    });
  });
}

async function contact(server, picture, each) {
  const last = each.at(-1);
  for (const request of each.slice(0, -1)) await get(server, picture, request);
  const before = await idle(server.pid);
  const { ms } = await get(server, picture, last);
  const responded = exactUsage(server.pid);
  const after = await idle(server.pid);
  return {
    ms,
    cpu: spentExactly(before, responded),
    "until idle": spentExactly(before, after),
    main: ((after.threads.get(server.pid) ?? 0) - (before.threads.get(server.pid) ?? 0)) / 1e6,
  };
}

async function get(server, picture, request) {
  const agent = new http.Agent({ keepAlive: false });
  const answer = await ask(server.url(picture, request.path), agent);
  const problem = fault(request, answer);
  if (problem) throw new Error(`${server.name} ${picture} ${request.path}: ${problem}`);
  return answer;
}
