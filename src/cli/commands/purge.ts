// `smalti purge`: removes cached entries, from the caches of the configuration or by a running server.

import { basicCredentials, type Platform, parseUrl, silentLog, version } from "../../base/index.ts";
import {
  type Config,
  createService,
  eachSlot,
  namesFolder,
  type PurgedImage,
  type PurgeParts,
  purgeFolder,
  purgeImage,
  purgeSlot,
  slotNames,
  unknownImageError,
} from "../../server/index.ts";
import { command, configFlag, type Result } from "./command.ts";
import { CommandError, inWords, UsageError } from "./command-error.ts";
import { removeControls } from "./findings-text.ts";
import { interruptOf } from "./interrupt.ts";
import { readConfig } from "./read-config.ts";

export const purge = command({
  name: "purge",
  summary: "remove what is cached of images or folders, or everything",
  more: "purges the caches of the configuration; what a running server holds in its memory is purged by that server,\nwith --url and its SERVICE_ADMIN_USER and SERVICE_ADMIN_PASS in the environment",
  examples: [
    "smalti purge maps/sheet-1.tif -config smalti.yaml",
    "smalti purge --folder letters/1890 --url http://localhost:8080",
  ],
  json: "the numbers of removed entries",
  flags: {
    folder: { kind: "list", value: "F", text: "all images of this folder, by the beginning of identifiers" },
    all: { kind: "switch", text: "all entries of all caches" },
    url: { kind: "text", value: "URL", text: "address of a running server, which purges instead" },
    config: configFlag,
  },
  operands: [{ name: "IDENTIFIER", optional: true, many: true }],
  async run({ platform, flags: { folder: folders, all, url, config: file }, operands: identifiers }) {
    // Requires an explicit choice, so that nothing is removed by mistake.
    if (all === identifiers.length + folders.length > 0)
      throw new UsageError("purge needs identifiers, --folder F, or --all alone; see smalti purge --help");
    if (!folders.every(namesFolder))
      throw new UsageError(
        "--folder expects the beginning of identifiers, such as letters/1890; use --all to purge everything",
      );
    const asked = { identifiers, folders, all };
    if (url !== undefined) return inWords(purgeByServer(platform, serverOf(url), asked));
    const { config } = await readConfig(platform, { file });
    return inWords(purgeHere(config, platform, asked));
  },
});

interface Asked {
  readonly identifiers: readonly string[];
  readonly folders: readonly string[];
  readonly all: boolean;
}

type Removed = PurgedImage["purged"];
const nothing: Removed = eachSlot(() => 0);

const sumOf = (removed: Removed) => slotNames.reduce((sum, name) => sum + removed[name], 0);

/** Returns a note with the flag that purges a folder. */
const noteText = (text: string) =>
  removeControls(text.replace("purge it as a folder.", "purge it with --folder."));

const addRemoved = (one: Removed, other: Removed): Removed => eachSlot((name) => one[name] + other[name]);

/** `unknown`: notes about identifiers of which there is no image. */
const resultOf = (
  purged: Removed,
  notes: readonly string[] = [],
  unknown: readonly string[] = [],
): Result => {
  const counts = slotNames.map((name) => `${name} ${purged[name].toLocaleString("en-US")}`).join(", ");
  const sum = sumOf(purged);
  const entries = sum === 1 ? "1 entry" : `${sum.toLocaleString("en-US")} entries`;
  return {
    text: `${[`${entries} removed: ${counts}`, ...notes, ...unknown].join("\n")}\n`,
    data: { purged, notes: [...notes, ...unknown] },
    failed: unknown.length > 0,
  };
};

/** Purges the caches that this process shares with servers. */
async function purgeHere(config: Config, platform: Platform, asked: Asked): Promise<Result> {
  const service = await createService(config, platform, silentLog, version);
  try {
    const isOwn = ({ backend }: { readonly backend: string }) => backend === "heap";
    const { slots } = service;
    if (slots.all.every(({ backend }) => backend === "heap" || backend === "none"))
      throw new CommandError(
        "the caches of this configuration are in the memory of each process, so only the running server can purge them: use --url",
      );
    const notes = slots.all
      .filter(isOwn)
      .map(
        ({ name }) => `cache.${name} is in the memory of each process; a running server purges it with --url`,
      );
    const parts: PurgeParts = { images: service.images, slots, aliases: config.aliases };
    if (asked.all) return await purgeAll(parts, notes);
    let purged = nothing;
    const unknown: string[] = [];
    for (const identifier of asked.identifiers) {
      const removed = (await purgeImage(parts, identifier)).purged;
      purged = addRemoved(purged, removed);
      const error = sumOf(removed) === 0 ? await unknownImageError(service.images, identifier) : undefined;
      if (error) unknown.push(noteText(error.message));
    }
    const signal = interruptOf(platform);
    for (const folder of asked.folders)
      purged = addRemoved(purged, (await purgeFolder(parts, folder, { signal })).purged);
    return resultOf(purged, notes, unknown);
  } finally {
    await service.close();
  }
}

async function purgeAll(parts: PurgeParts, notes: readonly string[]): Promise<Result> {
  let purged = nothing;
  for (const name of slotNames) {
    const held = await parts.slots[name].usage?.().catch(() => undefined);
    await purgeSlot(parts, name);
    purged = { ...purged, [name]: held?.entries ?? 0 };
  }
  return resultOf(purged, notes);
}

function serverOf(text: string): URL {
  const address = parseUrl(text.replace(/\/*$/, "/admin/api/purge"));
  if (!address || !/^https?:$/.test(address.protocol) || address.username + address.password !== "")
    throw new UsageError(
      `--url expects the address of the service without a name and password, such as http://localhost:8080, received ${text}`,
    );
  return address;
}

/** Asks a running server to purge. Throws CommandError with its problem document. */
async function purgeByServer(platform: Platform, address: URL, asked: Asked): Promise<Result> {
  if (asked.all)
    throw new CommandError(
      "a running server empties its caches on its page /admin/cache; name folders or identifiers",
    );
  const bodies = [
    ...asked.identifiers.map((identifier) => ({ identifier })),
    ...asked.folders.map((folder) => ({ folder })),
  ];
  let purged = nothing;
  const notes: string[] = [];
  const unknown: string[] = [];
  for (const body of bodies) {
    const found = await askServer(platform, address, body);
    if (found.note !== undefined) unknown.push(noteText(found.note));
    if (found.purged) purged = addRemoved(purged, found.purged);
    else
      notes.push(
        `the purge of ${Object.values(body)[0]} continues on the server, whose log says when it has ended`,
      );
  }
  return resultOf(purged, notes, unknown);
}

/** Milliseconds for one purge: the server responds within 20 s, and continues afterwards. */
const maxMs = 60_000;

async function askServer(
  platform: Platform,
  address: URL,
  body: Readonly<Record<string, string>>,
): Promise<{ readonly purged?: Removed; readonly note?: string }> {
  const { SERVICE_ADMIN_USER: user = "", SERVICE_ADMIN_PASS: pass = "" } = platform.env;
  const signal = AbortSignal.any([interruptOf(platform), AbortSignal.timeout(maxMs)]);
  const response = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: basicCredentials(user, pass) },
    body: JSON.stringify(body),
    redirect: "error",
    signal,
  }).catch((cause: unknown) => {
    interruptOf(platform).throwIfAborted();
    throw new CommandError(
      `${address.origin} cannot be reached: ${cause instanceof Error ? String(cause.cause ?? cause.message) : cause}`,
    );
  });
  const text = await response.text();
  if (response.status === 401)
    throw new CommandError(
      "the server refused the credentials: set SERVICE_ADMIN_USER and SERVICE_ADMIN_PASS as for the server",
    );
  const { purged, running, detail, note } = parse(text);
  if (!response.ok)
    throw new CommandError(`the server responded with ${response.status}: ${String(detail ?? "no reason")}`);
  if (response.status === 202 && running === true) return {};
  const counts = Object(purged) as Removed;
  if (slotNames.every((name) => Number.isSafeInteger(counts[name])))
    return { purged: counts, ...(typeof note === "string" && { note }) };
  throw new CommandError(
    `the server responded with ${response.status}, but with no report of a purge: --url has to be the address of this service`,
  );
}

/** Returns the members of an object in JSON; none of anything else. */
function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
