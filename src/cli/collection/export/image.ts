// Exports one image: its derivatives of level 0 and its image information.

import { forEachConcurrently, ServiceError, type Size } from "../../../base/index.ts";
import {
  effectiveLimits,
  largestSize,
  level0Files,
  level0Information,
  noLimits,
  type SizeRules,
  scaleFactors,
  thumbnailBox,
  tileWithin,
} from "../../../iiif/index.ts";
import { type ImageHeader, shownSize } from "../../../imaging/index.ts";
import {
  admittedMemory,
  type GrantedMaster,
  hash,
  planFor,
  prepare,
  type RenderParts,
  render,
  renderVersion,
  resolveRequest,
} from "../../../server/index.ts";
import { damagedError } from "../warm/file.ts";
import { addressOf, imageFolder } from "./names.ts";
import type { Target } from "./target.ts";

export interface ImageExport {
  readonly parts: RenderParts;
  readonly target: Target;
  /** Version of the Image API. */
  readonly version: 2 | 3;
  /** Address of the exported folder, without a trailing /. */
  readonly base: string;
  /** Derivatives of an image that are made simultaneously. */
  readonly concurrency: number;
}

/** An exported image. */
export interface ExportedImage {
  readonly size: Size;
  /** Size of the thumbnail that documents name. */
  readonly thumbnail: Size;
  /** Derivatives that were made; 0 if all were there. */
  readonly made: number;
}

/**
 * Exports an opened image. Derivatives that an earlier run has written for the same bytes and settings are
 * kept, all others replaced. Throws what `render` throws; then the image is not complete, and the next run
 * continues with it.
 */
export async function exportImage(
  { parts, target, version, base, concurrency }: ImageExport,
  master: GrantedMaster,
  header: ImageHeader,
  signal: AbortSignal,
): Promise<ExportedImage> {
  const { identifier } = master;
  const folder = imageFolder(identifier);
  const size = shownSize(header, parts.policy);
  const rules = await servableRules(parts, master, size);
  const thumbnail = largestSize(
    size,
    { ...noLimits, maxWidth: thumbnailBox, maxHeight: thumbnailBox },
    false,
  );
  const files = [...level0Files(version, size, rules, [thumbnail])];

  const of = await exportVersion(parts, master, rules, version, files[0]!.request);
  const { notes } = target;
  const note = await notes.image(identifier);
  const isSame = note?.version === of;
  if (!note) await target.refuseForeign(folder);
  else if (!isSame) {
    // Noted as incomplete before, since the settings may be the earlier ones again when the next run begins.
    await notes.noteImage(identifier, { ...note, complete: false });
    await target.removeImage(folder);
  }
  let noting: Promise<void> | undefined;
  let made = 0;
  if (!isSame || !note.complete) {
    await forEachConcurrently(files, concurrency, async ({ request, paths }) => {
      const missing: string[] = [];
      for (const path of paths) if (!isSame || !(await target.has(`${folder}/${path}`))) missing.push(path);
      if (missing.length === 0) return;
      const prepared = await prepare(parts, master, request, signal);
      const { bytes, incomplete } = await render(parts, master, prepared, signal);
      if (incomplete) throw damagedError();
      for (const path of missing) {
        // Noted before, so that the next run knows the file if this process ends after the write.
        noting ??= notes.noteImage(identifier, { version: of, complete: false });
        await noting;
        await target.write(`${folder}/${path}`, bytes);
      }
      made++;
    });
    await notes.noteImage(identifier, { version: of, complete: true });
  }
  const information = level0Information(version, addressOf(base, folder), size, rules);
  await target.write(
    `${folder}/info.json`,
    new TextEncoder().encode(`${JSON.stringify(information, null, 1)}\n`),
  );
  return { size, thumbnail, made };
}

/** Returns a digest of everything that the derivatives depend on: the master, the settings and the grid. */
async function exportVersion(
  parts: RenderParts,
  master: GrantedMaster,
  rules: SizeRules,
  version: 2 | 3,
  whole: Parameters<typeof prepare>[2],
): Promise<string> {
  const { key } = await prepare(parts, master, whole);
  return hash([renderVersion, version, rules, key.variant]);
}

/**
 * Returns rules with which the largest derivative can be rendered: one that needs too much memory, or that
 * its format cannot hold, is limited to the size of the first level that can be.
 */
async function servableRules(parts: RenderParts, master: GrantedMaster, image: Size): Promise<SizeRules> {
  const { sizes } = parts;
  const side = tileWithin(sizes) ?? sizes.tileSize;
  let refusal: unknown;
  for (const factor of scaleFactors(image, side)) {
    const reduced = {
      maxWidth: Math.ceil(image.width / factor),
      maxHeight: Math.ceil(image.height / factor),
      maxArea: sizes.limits.maxArea,
    };
    const rules = factor === 1 ? sizes : { ...sizes, limits: reduced };
    try {
      await checkLargest(parts, master, image, rules);
      return rules;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "too-large") throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Throws `too-large` if the largest derivative within the limits cannot be rendered. */
async function checkLargest(
  parts: RenderParts,
  master: GrantedMaster,
  image: Size,
  rules: SizeRules,
): Promise<void> {
  const largest = largestSize(image, effectiveLimits(rules.limits), false);
  const request = {
    version: 3,
    region: { kind: "full" },
    size: { kind: "exact", ...largest, upscale: false },
    rotation: { mirror: false, degrees: 0 },
    quality: "default",
    format: "jpg",
  } as const;
  const resolved = await resolveRequest(parts, master, request);
  const plan = planFor(parts, master, { ...resolved, overlay: undefined });
  if (parts.admission.allows(admittedMemory(plan, parts.sidecars.waits(master, plan.read)))) return;
  throw new ServiceError("too-large", "The whole image would need more memory than the service may use.", {
    code: "memory_budget",
  });
}
