// Input that all steps of the doctor share: whose login is tried, at which address, and as a viewer of which
// origin.

import { type AuthOptions, createKiosks, type ProfileOptions } from "../../server/index.ts";
import { type Fault, shorten } from "./finding.ts";
import type { Visitor, VisitorResponse } from "./visitor.ts";

/** An image and a profile that its rule names. */
export interface ProbedImage {
  readonly profile: string;
  /** All profiles of the rule, any of which gives access. */
  readonly profiles: readonly string[];
  readonly identifier: string;
  /** False if the name is made up, for requests that need no image. */
  readonly exists: boolean;
}

export interface DoctorOptions {
  readonly auth: AuthOptions;
  /** As configured; "" if it is derived from requests. */
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
  /** True if an authorize hook takes part in decisions. */
  readonly hooked: boolean;
  /** Credentials for profiles that ask for a password. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** The expected address of this machine as the service sees it, if known. */
  readonly client?: string | undefined;
}

export interface LoginWalk {
  readonly options: DoctorOptions;
  readonly visitor: Visitor;
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  /** Origin of the viewer's page. */
  readonly origin: string;
  readonly target: ProbedImage;
  readonly profile: ProfileOptions;
}

/** Result of a step. */
export interface Outcome<T = undefined> {
  readonly text: string;
  readonly faults: readonly Fault[];
  readonly value: T;
}

/**
 * True if this machine may have the image without a login: addresses have access to it, and its own is one of
 * them or unknown.
 */
export function isByAddress({ options: { auth, client }, target }: LoginWalk): boolean {
  const kiosks = createKiosks(auth.profiles);
  return target.profiles.some((name) =>
    client === undefined ? kiosks.listOf(name).length > 0 : kiosks.allows(name, client),
  );
}

/** True if the viewer is on a page of another origin. */
export const isForeign = ({ base, origin }: LoginWalk): boolean => new URL(base).origin !== origin;

/** Removes undefined entries and repeated codes. */
export function oneOfEach(faults: readonly (Fault | undefined)[]): readonly Fault[] {
  const byCode = new Map<string, Fault>();
  for (const fault of faults) if (fault && !byCode.has(fault.code)) byCode.set(fault.code, fault);
  return [...byCode.values()];
}

/** Parses the response as a JSON object; undefined if it is none. */
export function jsonOf({ text }: VisitorResponse): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Describes status and type of a response. */
export function kindOf({ status, headers }: VisitorResponse): string {
  const type = headers.get("Content-Type")?.split(";")[0];
  return `status ${status}${type ? ` with ${shorten(type)}` : " without a body"}`;
}
