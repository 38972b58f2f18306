// The login doctor for the operator's pages: examines only this service at its own address, one examination
// at a time, with a time limit.

import { type Finding, ServiceError, withDeadline } from "../../base/index.ts";
import {
  examineLogins,
  loopbackClient,
  NothingToExamine,
  ownAddress,
  viewerOrigin,
} from "../../doctor/index.ts";
import type { Service } from "../../server/index.ts";

/** The operator's input; an empty field means the default. */
export interface LoginQuestion {
  readonly origin: string;
  readonly identifier: string;
}

/** Findings, or why the question cannot be asked; `field`: the faulty field. */
export type LoginReport =
  | { readonly findings: readonly Finding[]; readonly base: string; readonly origin: string }
  | { readonly refused: string; readonly field?: keyof LoginQuestion };

export interface LoginDoctor {
  /** The service's own address; undefined if there are no logins. */
  readonly base: string | undefined;
  /** The origin of a viewer that is used if none is typed. */
  readonly origin: string | undefined;
  /** Never rejects because of a response of the service or its providers. */
  ask(question: LoginQuestion): Promise<LoginReport>;
}

const limitMs = 45_000;

/** Creates a doctor for the logins of this service. */
export function createLoginDoctor(service: Service): LoginDoctor {
  const config = service.config();
  const { auth } = config;
  if (!auth)
    return {
      base: undefined,
      origin: undefined,
      ask: async () => ({
        refused: "The configuration has no section auth, so there are no logins to examine.",
      }),
    };
  const base = ownAddress(config);
  const usual =
    auth.cors.token_origins.flatMap((each) => viewerOrigin(each) ?? [])[0] ?? new URL(base).origin;
  let running = false;

  const examineAll = async (origin: string, identifier: string): Promise<LoginReport> => {
    const named = identifier === "" ? undefined : identifier;
    const client = loopbackClient(base);
    try {
      const { platform, sources, hooks } = service;
      const asked = { auth, base, origin, identifier: named, client };
      return { findings: await examineLogins({ config, platform, sources, hooks }, asked), base, origin };
    } catch (error) {
      const isForOperator =
        error instanceof NothingToExamine ||
        (error instanceof ServiceError && error.code === "identifier_refused");
      if (!isForOperator) throw error;
      return { ...(named !== undefined && { field: "identifier" }), refused: error.message };
    }
  };

  return {
    base,
    origin: usual,
    async ask({ origin: typed, identifier }) {
      const origin = typed === "" ? usual : viewerOrigin(typed);
      if (origin === undefined)
        return {
          field: "origin",
          refused:
            "Expected the origin of a viewer, such as https://viewer.example.org; received something else.",
        };
      if (running)
        return {
          refused: "An examination is already running. Try again when it has ended, in a minute at most.",
        };
      running = true;
      // It continues after the deadline; no other examination begins until it has ended.
      const examination = examineAll(origin, identifier).finally(() => {
        running = false;
      });
      return withDeadline(limitMs, () => examination, late).catch((error: unknown) => {
        if (error === late) return { refused: late.message };
        throw error;
      });
    },
  };
}

const late = new Error(
  `The examination took longer than ${limitMs / 1000} s. Ask about a single identifier, or use smalti doctor auth, which waits as long as it takes.`,
);
