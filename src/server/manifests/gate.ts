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

type AuthServices = ReturnType<typeof authServicesOf>;

/** Decides for one caller and one document. `base`: public URL of the service, without a / at its end. */
export class Gate {
  readonly #images: GateParts["images"];
  readonly #auth: GateParts["auth"];
  readonly #caller: Caller;
  readonly #base: string;
  readonly #led = new Set<Sharing>();
  readonly #decided = new Map<Requirement, Decision | Promise<Decision>>();
  #noted: Decision | undefined;
  #isDoubtful = false;
  readonly #services = new Map<Requirement, AuthServices>();

  constructor({ images, auth }: GateParts, caller: Caller, base: string) {
    this.#images = images;
    this.#auth = auth;
    this.#caller = caller;
    this.#base = base;
  }

  /**
   * True if the caller may read the text about an image or a document: only if all of the image is visible.
   * `by`: whether a hook is asked too.
   */
  mayRead(identifier: string, by: "all" | "rules"): Promise<boolean> | boolean {
    const required = this.#auth?.requirementOf(identifier);
    const decision =
      by === "all" ? this.#decide(identifier, required) : this.#decideByRules(identifier, required);
    return this.#settle(decision, (settled) => this.#isSeen(settled));
  }

  /**
   * True if the caller may find an image or a folder by its texts: if they get any derivative of it, and no
   * profile keeps its documents for others.
   */
  mayFind(identifier: string): Promise<boolean> | boolean {
    const required = this.#auth?.requirementOf(identifier);
    return this.#settle(this.#decide(identifier, required), (decision) =>
      required?.gatesDocuments ? this.#isSeen(decision) : this.heed(decision).allowed,
    );
  }

  /** Returns what decides on an image: equal for images that the same callers may see, as far as known. */
  accessClass(identifier: string): string {
    if (this.#images.hooks?.has("authorize")) return "hook";
    const required = this.#auth?.requirementOf(identifier);
    return required ? JSON.stringify(required.profiles.map(({ name }) => name)) : "public";
  }

  /** True if a profile keeps the documents of an identifier for readers with access. */
  keepsDocuments(identifier: string): boolean {
    return this.#auth?.requirementOf(identifier)?.gatesDocuments === true;
  }

  /** Returns the decision on a document as a whole. Throws `busy` if it is not known. */
  async decide(identifier: string): Promise<Decision> {
    return this.heed(await this.#decide(identifier, this.#auth?.requirementOf(identifier)));
  }

  /** Returns the authorization services of an identifier that a rule names; none for others. */
  services(identifier: string): readonly object[] {
    const required = this.#auth?.requirementOf(identifier);
    return this.#auth && required ? this.#servicesOf(required, this.#auth)(identifier) : [];
  }

  pass(identifier: string): Promise<Pass> | Pass {
    const required = this.#auth?.requirementOf(identifier);
    const decision = this.#decide(identifier, required);
    if (!(decision instanceof Promise)) return this.#passOf(identifier, required, decision);
    return decision.then(
      (settled) => this.#passOf(identifier, required, settled),
      (error: unknown) => this.#passOf(identifier, required, refuseUndecided(error)),
    );
  }

  /**
   * True if the caller gets any derivative of it; for callers that need nothing else, since a long folder
   * asks about each image.
   */
  allows(identifier: string): Promise<boolean> | boolean {
    const decision = this.#decide(identifier, this.#auth?.requirementOf(identifier));
    if (!(decision instanceof Promise)) return this.heed(decision).allowed;
    return decision.catch(refuseUndecided).then((settled) => this.heed(settled).allowed);
  }

  /** Returns who may cache a document that shows everything decided so far. */
  sharing(): Sharing {
    return combineSharing([...this.#led, ...[this.#images.hooks?.sharing() ?? []].flat()]);
  }

  /** Returns the pass for every image, if neither rules nor hooks decide on any. */
  passForAll(): Pass | undefined {
    if (rulesOf(this.#images.access) !== everythingPublic) return undefined;
    this.heed(publicGrant);
    return publicPass;
  }

  /** Decisions are still to come that may restrict who may keep the document. */
  restrict(): void {
    if (this.#auth || this.#images.hooks?.has("authorize")) this.#led.add({ cachedBy: "caller", vary: [] });
  }

  /** Something that was found may be different next time. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  doubts(): boolean {
    return this.#isDoubtful;
  }

  /** Counts a decision on one of the images that was made elsewhere. */
  heed(decision: Decision): Decision {
    this.#led.add(decision);
    if (this.#noted === undefined || strictness(decision) > strictness(this.#noted)) this.#noted = decision;
    return decision;
  }

  /**
   * Notes one decision for the whole document, the strictest, so that a long one does not push all others out
   * of the record.
   */
  note(identifier: string, subject: Exclude<Subject, "image">): void {
    if (this.#noted !== undefined && this.#noted !== publicGrant)
      this.#images.decisions.note({ ...this.#caller, identifier }, this.#noted, subject);
  }

  #decide(identifier: string, required: Requirement | undefined): Decision | Promise<Decision> {
    const decide = () => this.#images.access.decide({ ...this.#caller, identifier });
    // A hook may decide on each image separately; a rule decides by its profiles only.
    if (this.#images.hooks?.has("authorize") || required === undefined) return decide();
    const known = this.#decided.get(required) ?? decide();
    this.#decided.set(required, known);
    if (known instanceof Promise)
      void known.then(
        (settled) => this.#decided.set(required, settled),
        () => undefined,
      );
    return known;
  }

  #passOf(identifier: string, required: Requirement | undefined, decision: Decision): Pass {
    const auth = this.#auth;
    this.heed(decision);
    const isHidden = !decision.allowed && (decision.status === 404 || decision.status === 410);
    const visible = isWhole(decision);
    return {
      listed: !isHidden,
      visible,
      allowed: decision.allowed,
      outcome: `${isHidden ? "hidden" : visible ? "visible" : "listed"} ${required?.refused.profile ?? ""}`,
      ...(auth &&
        required && { requirement: required, services: () => this.#servicesOf(required, auth)(identifier) }),
    };
  }

  #servicesOf(required: Requirement, { options, institution }: NonNullable<GateParts["auth"]>): AuthServices {
    const common = { base: this.#base, version: 3, strict: options.strict_profiles, institution } as const;
    const known = this.#services.get(required) ?? authServicesOf(required.profiles, common);
    this.#services.set(required, known);
    return known;
  }

  #isSeen(decision: Decision): boolean {
    return this.heed(decision).allowed && isWhole(decision);
  }

  #decideByRules(identifier: string, required: Requirement | undefined): Decision | Promise<Decision> {
    return this.#images.hooks?.has("authorize")
      ? (this.#auth?.access.decide({ ...this.#caller, identifier }) ?? publicGrant)
      : this.#decide(identifier, required);
  }

  #settle<T>(decision: Decision | Promise<Decision>, use: (decision: Decision) => T): T | Promise<T> {
    return decision instanceof Promise
      ? decision.then(use, (error: unknown) => {
          this.#isDoubtful = true;
          return use(refuseUndecided(error));
        })
      : use(decision);
  }
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
