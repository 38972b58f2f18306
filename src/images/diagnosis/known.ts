// What the image doctor has found out of an image before anything is said about it. Whatever could not be had is absent.

import type { ServiceError } from "../../errors.ts";
import type { Limits } from "../../iiif/image/size.ts";
import type { FileFacts } from "../../imaging/codecs/facts/index.ts";
import type { ProfileDescription } from "../../imaging/codecs/facts/profile.ts";
import type { ImageHeader } from "../../imaging/codecs/image-header.ts";
import type { DamagedMaster } from "../damaged-masters.ts";
import type { LatestRenders } from "../latest-renders.ts";
import type { OutputPolicy } from "../plan/policy.ts";
import type { SidecarReport } from "../sidecar/report.ts";
import type { Cost } from "./costs.ts";
import type { Measured } from "./measure.ts";

/** The steps of the doctor, in their order. */
export type Look =
  | "identifier"
  | "hook"
  | "open"
  | "header"
  | "file"
  | "metadata"
  | "sidecar"
  | "costs"
  | "measure";

/** Where the image was found: never a path. */
export interface FoundAt {
  readonly source: string;
  readonly backend: string;
  readonly key: string;
  /** 1-based. */
  readonly page: number;
  readonly remote: boolean;
  /** Bytes, where they are known. */
  readonly size?: number;
  readonly modified?: Date;
}

/** Bytes of each kind of metadata that could be read. */
export type MetadataSizes = Readonly<Partial<Record<"icc" | "exif" | "xmp" | "iptc", number>>>;

export interface Known {
  readonly identifier: string;
  /** What the resolve hook said; absent where there is none. */
  readonly hook?: "mapped" | "no image" | "no opinion";
  readonly place?: FoundAt;
  readonly header?: ImageHeader;
  readonly file?: FileFacts | undefined;
  readonly metadata?: MetadataSizes;
  readonly profile?: ProfileDescription | undefined;
  /** "none": files of this kind have no sidecar. */
  readonly sidecar?: SidecarReport | { readonly state: "none" } | undefined;
  /** Milliseconds that building it is expected to take, without the parts that only some reads need. */
  readonly sidecarMs?: number;
  readonly costs?: readonly Cost[] | undefined;
  /** What was rendered for this diagnosis. */
  readonly measured?: readonly Measured[];
  /** What requests rendered lately in this process. */
  readonly latest?: ReturnType<LatestRenders["of"]>;
  /** That derivatives rendered for requests lacked a part of it. */
  readonly damage?: DamagedMaster | undefined;
  /** What could not be found out, and why. */
  readonly failures: ReadonlyMap<Look, ServiceError>;
  readonly settings: Settings;
}

/** Settings of the service that concern every image. */
export interface Settings {
  readonly policy: OutputPolicy;
  readonly limits: Limits;
  readonly maxPixelArea: number;
  /** The profile that a rule asks for; absent: the image is public as far as rules go. */
  readonly profile?: string;
  /** Functions of hooks that are asked for each request. */
  readonly hooks: readonly ("authorize" | "overlay")[];
}
