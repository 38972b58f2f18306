// What the operator's own browser would receive for an image: admin credentials open no gated image, which
// need the login of a reader.

import { callerOf, type Decision, type RequestContext, type Service, type Tier } from "../../server/index.ts";

export interface Gate {
  /** Profiles that the identifier needs, separated by commas; undefined if no rule names it. */
  readonly profile?: string;
  /** True if any image would be shown, in whatever detail. */
  readonly isShown: boolean;
  /** Absent for a refusal. */
  readonly tier?: Tier;
  /** Status and reason of a refusal. */
  readonly refused?: { readonly status: number; readonly reason: string };
}

export interface GateReader {
  of(identifier: string): Promise<Gate>;
}

/**
 * Creates a reader for one request, which evaluates rules once per profile. It calls no hooks, see {@link
 * decideForBrowser}.
 */
export function createGateReader(c: RequestContext, { auth }: Service): GateReader {
  const known = new Map<string, Promise<Gate>>();
  return {
    async of(identifier) {
      const profile = auth?.requirementOf(identifier)?.refused.profile;
      if (!auth || profile === undefined) return { isShown: true };
      const decided =
        known.get(profile) ??
        Promise.resolve(auth.access.decide(callerOf(c, identifier))).then(gateOf, () => ({
          profile,
          isShown: false,
        }));
      known.set(profile, decided);
      return decided;
    },
  };
}

/**
 * Makes the whole decision on one image, hooks included, as if this browser had requested `path`, without
 * recording it. Returns undefined if it fails.
 */
export async function decideForBrowser(
  c: RequestContext,
  { images }: Service,
  identifier: string,
  path: string,
): Promise<Gate | undefined> {
  try {
    return gateOf(await images.access.decide({ ...callerOf(c, identifier), path }));
  } catch {
    return undefined;
  }
}

function gateOf(decision: Decision): Gate {
  const { profile } = decision;
  return {
    ...(profile !== undefined && { profile }),
    isShown: decision.allowed,
    ...(decision.allowed
      ? { tier: decision.tier }
      : { refused: { status: decision.status, reason: decision.reason } }),
  };
}
