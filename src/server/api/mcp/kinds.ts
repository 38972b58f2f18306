// Folders that are asked for as images, and images that are asked for as folders.

import { type ErrorKind, ServiceError } from "../../../base/index.ts";
import { foresee } from "../../images/foresee.ts";
import { browseFolder } from "../../manifests/browse/browse.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { type Asked, imageAmong, readAsked } from "./asked.ts";
import { failure } from "./failure.ts";
import type { CallToolResult } from "./protocol.ts";

/**
 * Returns the result of a tool for the image that a client named. Says so if that is a folder that the client
 * may see.
 */
export async function onImage(
  c: RequestContext,
  service: Service,
  given: string,
  run: (identifier: string, asked: Asked) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const asked = await readAsked(c, service, given);
  const identifier = await imageAmong(c, service, asked);
  try {
    if (identifier === "") return isFolderText("This");
    return await run(identifier, asked);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    for (const each of asked.identifiers) if (await isFolder(c, service, each)) return isFolderText(each);
    throw asked.refusal ?? error;
  }
}

const isFolderText = (name: string) =>
  failure(`${name} is a folder; use browse to see what is in it, then name one of its images.`);

async function isFolder(c: RequestContext, service: Service, identifier: string): Promise<boolean> {
  try {
    const page = await browseFolder(browseParts(service), {
      identifier,
      words: [],
      after: undefined,
      caller: callerOf(c, identifier),
    });
    return !("refused" in page);
  } catch (error) {
    if (error instanceof ServiceError && error.kind !== "cancelled") return false;
    throw error;
  }
}

/** Returns what browsing needs of a service. */
export function browseParts(service: Service): Parameters<typeof browseFolder>[0] {
  const { images, sources, folders, search, auth } = service;
  return { images, auth, sources, folders, search, options: service.config().presentation };
}

/** Errors that only an image can have. */
const faultsOfImages: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["decode", "too-large"]);

/** Returns the result of browsing one of these identifiers if it is an image that the caller may have. */
export async function imageInstead(
  c: RequestContext,
  service: Service,
  { identifiers }: Asked,
): Promise<CallToolResult | undefined> {
  for (const identifier of identifiers) {
    if (identifier === "") continue;
    const { decision, failure: fault } = await foresee(service.images, callerOf(c, identifier));
    if (decision.allowed && (fault === undefined || faultsOfImages.has(fault.kind)))
      return failure(`${identifier} is an image; use get_image_info or get_region to look at it.`);
  }
  return undefined;
}

export const isNotFound = (error: unknown): boolean =>
  error instanceof ServiceError && error.kind === "not-found";
