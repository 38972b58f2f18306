// Which runtime proves which subject. The newest Node and workerd take all of them. Each other runtime takes
// the subjects in which its own code or its engine has a part, and one of them, which the commit draws, takes
// each of the rest. TEST_ALL=1 runs everything everywhere, and so does RUNTIMES=deno,bun on those.

import { everything, sampled } from "../sampled.ts";
import { chosenRuntimes, type Runtime } from "./runtimes.ts";

/** Take every subject. */
const always: readonly string[] = ["node24", "workerd"];

const drawn = ["node", "deno", "bun"] as const;
type Drawn = (typeof drawn)[number];

/** Each has an HTTP server of its own, Node another one in each version. */
const servers: readonly Drawn[] = drawn;
/** They share src/server/platform/process/ with Node, but not the modules of Node below it. */
const engines: readonly Drawn[] = ["deno", "bun"];
const none: readonly Drawn[] = [];

/** The runtimes besides those above on which a subject always runs, and why. */
const rows = {
  // Requests, responses and connections: src/server/platform/server/, bun.ts, deno.ts, workerd.ts.
  http: [servers, "targets, hosts, bodies, aborts, static files, signals, and a port that is in use"],
  hostile: [servers, "the runtime parses requests, and refuses what it cannot parse"],
  "keep-alive": [servers, "the runtime closes idle connections, and each has another option for the time"],
  "slow clients": [servers, "node-server.ts and bun.ts cut a response that stalls in ways of their own"],
  stop: [servers, "draining.ts holds responses of a server that each runtime stops in another way"],
  // Below src/server/platform/process/, src/server/platform/files/ and src/server/platform/workers/.
  files: [engines, "node-files.ts opens files by flags and paths of Linux; workerd has disk-files.ts"],
  hooks: [engines, "a sandbox runs in a worker of the runtime, which has to end in the middle of a call"],
  log: [engines, "output.ts writes to the streams of the runtime until its process ends"],
  logins: [engines, "addresses and repeated headers come from the server, passwords are checked in a worker"],
  operation: [
    engines,
    "a frame is sent each second until a client leaves, file-replacement.ts keeps permissions, and checks " +
      "report network errors in words of the runtime",
  ],
  roles: [engines, "credentials are fetched by http of the runtime, which has to reach the metadata service"],
  "sessions in a folder": [engines, "files and folders have modes that only their owner passes"],
  changes: [engines, "node-files.ts links a file to its path, so that it replaces no other"],
  // Standard functions of JavaScript and the modules that http, files and hooks prove.
  "calls of a sandbox": [["bun"], "memory of WebAssembly grows in JavaScriptCore and in V8"],
  caches: [none, "sockets and fetch carry the same protocols everywhere"],
  "logins elsewhere": [none, "fetch and crypto.subtle are standard"],
  lookups: [none, "fetch and files that change"],
  mcp: [none, "messages are documents as others"],
  overlay: [none, "pixels that http sends to workers as well"],
  presentation: [none, "documents that are streamed as the frames of the dashboard"],
  replicas: [none, "a proxy and stores, for the two versions of Node"],
  "sessions in Redis": [none, "the sockets of caches"],
  "sessions in Redis over REST": [none, "the requests of caches"],
  "sessions in a bucket": [none, "the requests of caches"],
  "sessions in memory": [none, "passwords as in logins"],
  "text search": [engines, "long texts are read and indexed in a worker, to which bytes are sent"],
  tracing: [none, "fetch in the background, and an end like that of the log"],
  archives: [none, "ranges as in waiting, and a stream that inflates, of node:zlib or of the Web"],
  waiting: [none, "promises and timers"],
} as const satisfies Record<string, readonly [on: readonly Drawn[], because: string]>;

export type Subject = keyof typeof rows;

export const subjects = Object.keys(rows) as readonly Subject[];

/** Names of the runtimes on which a subject runs in this commit. */
export function selected(subject: Subject): readonly string[] {
  if (everything) return [...always, ...drawn];
  return [...new Set([...always, ...rows[subject][0], ...sampled(`runtimes of ${subject}`, drawn, 1)])];
}

/** The chosen runtimes on which a subject runs; all of them if RUNTIMES names them. */
export function runtimesFor(subject: Subject): readonly Runtime[] {
  if (process.env.RUNTIMES) return chosenRuntimes();
  const names = selected(subject);
  return chosenRuntimes().filter(({ name }) => names.includes(name));
}
