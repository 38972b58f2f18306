// The doctor of logins for the operator's pages: asks this service at its own address alone, one examination at a time, bounded in time.

import { examine } from "../../../doctor/diagnose.ts";
import type { Finding } from "../../../doctor/finding.ts";
import { loopbackClient, ownAddress, settingsDoubts, viewerOrigin } from "../../../doctor/question.ts";
import { findTargets, targetsAt } from "../../../doctor/targets.ts";
import type { Target } from "../../../doctor/walk.ts";
import { checkIdentifier } from "../../../iiif/image/path.ts";
import { withDeadline } from "../../../lib/concurrency/bounded-wait.ts";
import type { Service } from "../../../service.ts";

/** What the operator types; empty fields mean the usual. */
export interface LoginQuestion {
  readonly origin: string;
  readonly identifier: string;
}

/** Findings, or why the question cannot be asked; `field`: the field that is wrong. */
export type LoginReport =
  | { readonly findings: readonly Finding[]; readonly base: string; readonly origin: string }
  | { readonly refused: string; readonly field?: keyof LoginQuestion };

export interface LoginDoctor {
  /** The service's own address; undefined where there are no logins. */
  readonly base: string | undefined;
  /** The origin of a viewer that is asked for where none is typed. */
  readonly origin: string | undefined;
  /** Never rejects for what the service or its providers answer. */
  ask(question: LoginQuestion): Promise<LoginReport>;
}

const limitMs = 45_000;

/** A doctor for the logins of this service. */
export function createLoginDoctor(service: Service): LoginDoctor {
  const config = service.config();
  const { auth } = config;
  if (!auth)
    return {
      base: undefined,
      origin: undefined,
      ask: async () => ({ refused: "There is no section auth in the configuration: no logins to look at." }),
    };
  const base = ownAddress(config);
  const usual =
    auth.cors.token_origins.flatMap((each) => viewerOrigin(each) ?? [])[0] ?? new URL(base).origin;
  let running = false;

  const about = { auth, sources: service.sources, lists: !service.hooks.has("resolve") };

  const targetsOf = async (identifier: string): Promise<readonly Target[]> =>
    identifier === "" ? findTargets(about) : targetsAt(checkIdentifier(identifier), about);

  const findings = async (origin: string, targets: readonly Target[]): Promise<readonly Finding[]> => {
    const { hooks, platform } = service;
    const { SERVICE_DOCTOR_USERNAME: username, SERVICE_DOCTOR_PASSWORD: password } = platform.env;
    const client = loopbackClient(base);
    const options = {
      auth,
      baseUrl: config.base_url,
      trustedProxies: config.trusted_proxies,
      hooked: hooks.has("authorize"),
      ...(username && password && { credentials: { username, password } }),
      ...(client !== undefined && { client }),
    };
    const doubts = await settingsDoubts(config, platform, about);
    return [...doubts, ...(await examine({ options, base, origin, targets }))];
  };

  const examineAll = async (origin: string, identifier: string): Promise<LoginReport> => {
    let targets: readonly Target[];
    try {
      targets = await targetsOf(identifier);
    } catch (error) {
      // What it says is for the operator: that no rule names the identifier, or that it can be none.
      return { field: "identifier", refused: error instanceof Error ? error.message : String(error) };
    }
    if (targets.length === 0)
      return { refused: "No rule of auth.rules names an identifier that could be asked for." };
    return { findings: await findings(origin, targets), base, origin };
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
          refused: "An examination is under way already. Ask again when it has ended, in a minute at most.",
        };
      running = true;
      // Runs on behind the deadline: until it has ended, no other begins.
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
  `The examination took longer than ${limitMs / 1000} s. Ask about one identifier alone, or use smalti doctor auth, which waits as long as it takes.`,
);
