// All facts that the image doctor has found out about an image. Facts that could not be determined are
// absent.

import type { ServiceError } from "../../base/index.ts";
import type { Limits } from "../../iiif/index.ts";
import type { Cut, FileFacts, ImageHeader, OutputPolicy, ProfileDescription } from "../../imaging/index.ts";
import type { DamagedMaster, LatestRenders, SidecarReport } from "../../server/index.ts";
import type { Cost } from "./costs.ts";
import type { Measured } from "./measure.ts";

/** Steps of the doctor, in order. */
export type DiagnosisStep =
  | "identifier"
  | "hook"
  | "open"
  | "header"
  | "file"
  | "metadata"
  | "sidecar"
  | "costs"
  | "measure";

/** Location of the image: source and key, never a path. */
export interface FoundAt {
  readonly source: string;
  readonly backend: string;
  readonly key: string;
  /** Page number, from 1. */
  readonly page: number;
  readonly remote: boolean;
  /** Size in bytes, if known. */
  readonly size?: number;
  readonly modified?: Date;
}

/** Length in bytes of each kind of metadata that could be read. */
export type MetadataSizes = Readonly<Partial<Record<"icc" | "exif" | "xmp" | "iptc", number>>>;

export interface DiagnosisFacts {
  readonly identifier: string;
  /** Result of the resolve hook; absent if there is none. */
  readonly hook?: "mapped" | "no image" | "no opinion";
  readonly master?: FoundAt;
  /** If there is no image: the identifier of one with a similar name in the same folder. */
  readonly near?: string;
  readonly header?: ImageHeader;
  readonly file?: FileFacts | undefined;
  /** What is missing at the end of the file. */
  readonly cut?: Cut | undefined;
  /** Pages that are drawn, of the first `of` pages of a file with several. */
  readonly drawnPages?: { readonly count: number; readonly of: number } | undefined;
  readonly metadata?: MetadataSizes;
  readonly profile?: ProfileDescription | undefined;
  /** State of the sidecar; "none": files of this kind have none. */
  readonly sidecar?: SidecarReport | { readonly state: "none" } | undefined;
  /** Expected milliseconds to build the sidecar, without the parts that only some reads need. */
  readonly sidecarMs?: number;
  readonly costs?: readonly Cost[] | undefined;
  /** Derivatives rendered for this diagnosis. */
  readonly measured?: readonly Measured[];
  /** Recent renders for requests in this process. */
  readonly latest?: ReturnType<LatestRenders["of"]>;
  /** Set if derivatives rendered for requests lacked a part of the image. */
  readonly damage?: DamagedMaster | undefined;
  /** Failed steps, with their errors. */
  readonly failures: ReadonlyMap<DiagnosisStep, ServiceError>;
  readonly settings: Settings;
}

/** Settings of the service that apply to every image. */
export interface Settings {
  readonly policy: OutputPolicy;
  readonly limits: Limits;
  readonly maxPixelArea: number;
  /** Profile that a rule requires; absent if rules allow access to everybody. */
  readonly profile?: string;
  /** Hook functions that run for each request. */
  readonly hooks: readonly ("authorize" | "overlay")[];
}
