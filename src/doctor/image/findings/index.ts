// All checks of a diagnosis, one per row: each derives findings from the known facts.

import type { Finding } from "../../../base/index.ts";
import type { DiagnosisFacts } from "../known.ts";
import { failureFindings, hookFinding, refusedFinding } from "./failures.ts";
import { accessFinding, areaFinding, reducedFinding, refusedCostsFinding } from "./limits.ts";
import {
  colourFinding,
  cutPagesFinding,
  damageFinding,
  depthFinding,
  drawnFinding,
  ignoredProfileFinding,
  inksFinding,
  lightFinding,
  metadataFinding,
  orientationFinding,
  pagesFinding,
  transparencyFinding,
} from "./picture.ts";
import { sidecarFinding, speedFindings, surpriseFinding } from "./speed.ts";

type Check = (known: DiagnosisFacts) => Finding | readonly Finding[] | undefined;

const checks: readonly Check[] = [
  failureFindings,
  hookFinding,
  refusedFinding,
  areaFinding,
  damageFinding,
  cutPagesFinding,
  refusedCostsFinding,
  ignoredProfileFinding,
  inksFinding,
  speedFindings,
  sidecarFinding,
  surpriseFinding,
  reducedFinding,
  pagesFinding,
  drawnFinding,
  depthFinding,
  lightFinding,
  transparencyFinding,
  orientationFinding,
  accessFinding,
  colourFinding,
  metadataFinding,
];

/** Returns the findings about an image, in the order of the rows. */
export const findingsOf = (known: DiagnosisFacts): Finding[] => checks.flatMap((check) => check(known) ?? []);
