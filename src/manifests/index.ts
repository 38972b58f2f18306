// The manifests of a service, built once from its parts.

import type { Auth } from "../access/auth.ts";
import type { Log } from "../lib/log.ts";
import { parseDuration } from "../lib/quantity.ts";
import type { KeepAlive } from "../lib/single-flight.ts";
import type { SourceOptions } from "../sources/options.ts";
import type { Slot } from "../stores/slot.ts";
import { createFolders } from "./folders.ts";
import type { FactsParts } from "./image-facts.ts";
import { createManifests, type Manifests } from "./manifests.ts";
import type { PresentationOptions } from "./options.ts";
import { createSidecarLog } from "./sidecar-log.ts";

export interface ServiceParts {
  readonly images: FactsParts;
  readonly auth?: Auth | undefined;
  readonly info: Slot;
  readonly options: PresentationOptions;
  /** Those of `sources:`. */
  readonly sources: readonly SourceOptions[];
  readonly keepAlive?: KeepAlive | undefined;
  readonly log: Log;
}

/** How long a listing counts of sources that have no option for it: the bundled sample. */
const usualMs = 60_000;

/** Builds them; undefined where presentation is switched off. */
export function buildManifests({
  images,
  auth,
  info,
  options,
  sources,
  keepAlive,
  log,
}: ServiceParts): Manifests | undefined {
  if (!options.enabled) return undefined;
  const times = new Map(sources.map(({ name, revalidate }) => [name, parseDuration(revalidate)]));
  const folders = createFolders({
    info,
    revalidateMs: ({ name }) => times.get(name) ?? usualMs,
    keepAlive,
  });
  const sidecars = createSidecarLog(log, options.allowed_origins);
  return createManifests({ images, auth, sources: images.sources, folders, options, sidecars });
}
