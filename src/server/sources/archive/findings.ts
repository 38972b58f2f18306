// What is wrong with an archive whose directory can be read.

import type { Finding } from "../../../base/index.ts";
import { type ArchiveDirectory, maxListed, type Refusal, refusals } from "./directory.ts";
import { maxInflated } from "./inflated.ts";

/**
 * Returns a finding for each reason for which members are not served, or not listed, and one if
 * images are deflated.
 */
export function archiveFindings({
  refused,
  deflatedImages,
  unlisted,
}: Pick<ArchiveDirectory, "refused" | "deflatedImages" | "unlisted">): readonly Finding[] {
  const finding = ([refusal, count]: readonly [Refusal, number]): Finding => ({
    level: "problem",
    code: `archive_${refusal}`,
    text: `${count === 1 ? "Once" : `${count} times`}, a file of the archive is not served: ${refusals[refusal].reason}.`,
    advice: refusals[refusal].advice,
  });
  const slow: Finding = {
    level: "slow",
    code: "archive_deflated",
    text: `${deflatedImages} images of the archive are deflated, so each is inflated as a whole before its first tile; those of more than ${maxInflated / 2 ** 20} MiB are refused.`,
    advice: "Make the archive again without compression, by zip -0: images hardly get smaller by it.",
  };
  const long: Finding = {
    level: "problem",
    code: "archive_unlisted",
    text: `${unlisted} files and folders of the archive are in no list or manifest: of a folder, the first ${maxListed} images are listed, and as many other files and folders.`,
    advice: "Divide the images into more folders.",
  };
  return [
    ...[...refused].map(finding),
    ...(unlisted > 0 ? [long] : []),
    ...(deflatedImages > 0 ? [slow] : []),
  ];
}
