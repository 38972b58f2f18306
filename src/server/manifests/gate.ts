// Access of one caller to the images of a document, decided once for each, or once for all images under one
// rule.

import { authServicesOf } from "../../iiif/index.ts";
import {
  type Caller,
  combineSharing,
  type Decision,
  everythingPublic,
  isUndecided,
  publicGrant,
  rulesOf,
  type Sharing,
} from "../access/access.ts";
import type { Auth } from "../access/auth.ts";
import type { Subject } from "../access/decisions.ts";
import type { Requirement } from "../access/rules/requirement.ts";
import type { OpenParts } from "../images/open.ts";

export interface GateParts {
  readonly images: Pick<OpenParts, "access" | "hooks" | "decisions">;
  readonly auth?: Pick<Auth, "requirementOf" | "options" | "institution" | "access"> | undefined;
}

/** Access to one image, as a document reflects it. */
export interface Pass {
  /** False if the caller may not know of it. */
  readonly listed: boolean;
  /** True if the caller may see it. */
  readonly visible: boolean;
  /** True if the caller gets any derivative of it, even a substitute. */
  readonly allowed: boolean;
  /** Equal for images with the same rule; absent for public ones. */
  readonly requirement?: object;
  /** Authorization services of a gated image; absent for public ones. */
  readonly services?: () => readonly object[];
  /** Everything above without the identifier: equal for passes with the same consequences. */
  readonly outcome: string;
}

/** Decides for one caller and one document. */
export interface Gate {
  pass(identifier: string): Promise<Pass> | Pass;
  /**
   * True if the caller gets any derivative of it; for callers that need nothing else, since a long folder
   * asks about each image.
   */
  allows(identifier: string): Promise<boolean> | boolean;
  /**
   * True if the caller may read the text about an image or a document: only if all of the image is visible.
   * `by`: whether a hook is asked too.
   */
  mayRead(identifier: string, by: "all" | "rules"): Promise<boolean> | boolean;
  /**
   * True if the caller may find an image or a folder by its texts: if they get any derivative of it, and no
   * profile keeps its documents for others.
   */
  mayFind(identifier: string): Promise<boolean> | boolean;
  /** Returns what decides on an image: equal for images that the same callers may see, as far as known. */
  accessClass(identifier: string): string;
  /** True if a profile keeps the documents of an identifier for readers with access. */
  keepsDocuments(identifier: string): boolean;
  /** Returns the decision on a document as a whole. Throws `busy` if it is not known. */
  decide(identifier: string): Promise<Decision>;
  /** Returns the authorization services of an identifier that a rule names; none for others. */
  services(identifier: string): readonly object[];
  /** Returns who may cache a document that shows everything decided so far. */
  sharing(): Sharing;
  /** Returns the pass for every image, if neither rules nor hooks decide on any. */
  passForAll(): Pass | undefined;
  /** Decisions are still to come that may restrict who may keep the document. */
  restrict(): void;
  /** Something that was found may be different next time. */
  doubt(): void;
  doubts(): boolean;
  /** Counts a decision on one of the images that was made elsewhere. */
  heed(decision: Decision): void;
  /**
   * Notes one decision for the whole document, the strictest, so that a long one does not push all others out
   * of the record.
   */
  note(document: string, subject: Exclude<Subject, "image">): void;
}

/** A gate for one caller; `base`: public URL of the service, without a / at its end. */
export function openGate({ images, auth }: GateParts, caller: Caller, base: string): Gate {
  const { access, hooks, decisions } = images;
  const led = new Set<Sharing>();
  const decided = new Map<Requirement, Decision | Promise<Decision>>();
  let noted: Decision | undefined;
  let isDoubtful = false;

  const decide = (identifier: string, required: Requirement | undefined): Decision | Promise<Decision> => {
    const decide = () => access.decide({ ...caller, identifier });
    // A hook may decide on each image separately; a rule decides by its profiles only.
    if (hooks?.has("authorize") || required === undefined) return decide();
    const known = decided.get(required) ?? decide();
    decided.set(required, known);
    if (known instanceof Promise)
      void known.then(
        (settled) => decided.set(required, settled),
        () => undefined,
      );
    return known;
  };

  const heed = (decision: Decision) => {
    led.add(decision);
    if (noted === undefined || strictness(decision) > strictness(noted)) noted = decision;
    return decision;
  };

  const passOf = (identifier: string, required: Requirement | undefined, decision: Decision): Pass => {
    heed(decision);
    const isHidden = !decision.allowed && (decision.status === 404 || decision.status === 410);
    const visible = isWhole(decision);
    return {
      listed: !isHidden,
      visible,
      allowed: decision.allowed,
      outcome: `${isHidden ? "hidden" : visible ? "visible" : "listed"} ${required?.refused.profile ?? ""}`,
      ...(auth &&
        required && { requirement: required, services: () => servicesOf(required, auth)(identifier) }),
    };
  };

  const services = new Map<Requirement, ReturnType<typeof authServicesOf>>();
  const servicesOf = (required: Requirement, { options, institution }: NonNullable<typeof auth>) => {
    const common = { base, version: 3, strict: options.strict_profiles, institution } as const;
    const known = services.get(required) ?? authServicesOf(required.profiles, common);
    services.set(required, known);
    return known;
  };

  const isSeen = (decision: Decision) => heed(decision).allowed && isWhole(decision);
  const decideByRules = (identifier: string, required: Requirement | undefined) =>
    hooks?.has("authorize")
      ? (auth?.access.decide({ ...caller, identifier }) ?? publicGrant)
      : decide(identifier, required);
  const settle = <T>(
    decision: Decision | Promise<Decision>,
    use: (decision: Decision) => T,
  ): T | Promise<T> =>
    decision instanceof Promise
      ? decision.then(use, (error: unknown) => {
          isDoubtful = true;
          return use(refuseUndecided(error));
        })
      : use(decision);

  return {
    mayRead(identifier, by) {
      const required = auth?.requirementOf(identifier);
      return settle((by === "all" ? decide : decideByRules)(identifier, required), isSeen);
    },
    mayFind(identifier) {
      const required = auth?.requirementOf(identifier);
      return settle(decide(identifier, required), (decision) =>
        required?.gatesDocuments ? isSeen(decision) : heed(decision).allowed,
      );
    },
    accessClass(identifier) {
      if (hooks?.has("authorize")) return "hook";
      const required = auth?.requirementOf(identifier);
      return required ? JSON.stringify(required.profiles.map(({ name }) => name)) : "public";
    },
    keepsDocuments: (identifier) => auth?.requirementOf(identifier)?.gatesDocuments === true,
    decide: async (identifier) => heed(await decide(identifier, auth?.requirementOf(identifier))),
    services(identifier) {
      const required = auth?.requirementOf(identifier);
      return auth && required ? servicesOf(required, auth)(identifier) : [];
    },
    pass(identifier) {
      const required = auth?.requirementOf(identifier);
      const decision = decide(identifier, required);
      if (!(decision instanceof Promise)) return passOf(identifier, required, decision);
      return decision.then(
        (settled) => passOf(identifier, required, settled),
        (error: unknown) => passOf(identifier, required, refuseUndecided(error)),
      );
    },
    allows(identifier) {
      const decision = decide(identifier, auth?.requirementOf(identifier));
      if (!(decision instanceof Promise)) return heed(decision).allowed;
      return decision.catch(refuseUndecided).then((settled) => heed(settled).allowed);
    },
    sharing: () => combineSharing([...led, ...[hooks?.sharing() ?? []].flat()]),
    passForAll() {
      if (rulesOf(access) !== everythingPublic) return undefined;
      heed(publicGrant);
      return publicPass;
    },
    restrict() {
      if (auth || hooks?.has("authorize")) led.add({ cachedBy: "caller", vary: [] });
    },
    doubt() {
      isDoubtful = true;
    },
    doubts: () => isDoubtful,
    heed,
    note(identifier, subject) {
      if (noted !== undefined && noted !== publicGrant)
        decisions.note({ ...caller, identifier }, noted, subject);
    },
  };
}

const publicPass: Pass = { listed: true, visible: true, allowed: true, outcome: "visible " };

/** True if the caller gets all of an image. */
export const isWhole = (decision: Decision): boolean => decision.allowed && decision.tier !== "substitute";

/** Returns a denial if no decision could be made: the image is listed as if denied. Throws other errors. */
function refuseUndecided(error: unknown): Decision {
  if (!isUndecided(error)) throw error;
  return { allowed: false, status: 401, reason: (error as Error).message, cachedBy: "caller", vary: [] };
}

const strictness = (decision: Decision): number => {
  if (!decision.allowed) return 3;
  return decision.tier === "substitute" ? 2 : decision.tier === "full" ? 1 : 0;
};
