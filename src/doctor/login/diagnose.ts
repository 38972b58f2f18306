// The doctor: goes through the logins of a service over HTTP as a viewer does, and reports each step.

import { type Finding, isSafeTransport } from "../../base/index.ts";
import { type Fault, StepFault, type StepName } from "./finding.ts";
import { forgeHeader, type LoginResult, logOut, useAccess } from "./steps/access.ts";
import { lookAtCookie, noHttps } from "./steps/cookie.ts";
import { leaveForPage, leaveForProvider, maxSkewMs } from "./steps/elsewhere.ts";
import { click, enter, type LoggedIn, signIn } from "./steps/login.ts";
import { type ImageProbe, lookAtClosedImage, lookAtInfo, lookAtProbe } from "./steps/probe.ts";
import { askForToken } from "./steps/token.ts";
import { createVisitor, type Visitor } from "./visitor.ts";
import type { DoctorOptions, LoginWalk, Outcome, ProbedImage } from "./walk.ts";

export interface Examination {
  readonly options: DoctorOptions;
  /**
   * Public URL of the service, without a / at its end. Requests go only to addresses below it, and to the
   * logins of profiles.
   */
  readonly base: string;
  /** Origin of a viewer. */
  readonly origin: string;
  readonly targets: readonly ProbedImage[];
}

/** Level and code of a step without faults. */
const inOrder = { level: "good", code: "ok" } as const;

/** Faults after which no other request makes sense. */
const final: ReadonlySet<string> = new Set(["unreachable", "no_answer", "certificate"]);

/**
 * Returns the findings of each step of each login, in order. Begins one session for each profile that needs
 * no person to log in, and ends it. Never rejects because of a response.
 */
export async function examine({ options, base, origin, targets }: Examination): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const visitor = createVisitor();
  findings.push(
    isSafeTransport(new URL(base))
      ? { where: "address", ...inOrder, text: `${base}, as a viewer at ${origin}` }
      : { where: "address", level: "problem", ...noHttps(base) },
  );
  for (const target of targets) {
    const profile = options.auth.profiles[target.profile];
    if (!profile) continue;
    const notes = createNotes(findings, target.profile);
    await walkThrough({ options, visitor, base, origin, target, profile }, notes);
    if (notes.isOver()) break;
  }
  findings.push(...clockFindings(visitor, new URL(base).origin));
  return findings;
}

interface Notes {
  /** Runs a step and records its findings; undefined if it failed. */
  take<T>(step: StepName, act: () => Promise<Outcome<T>>): Promise<Outcome<T> | undefined>;
  skip(step: StepName, text: string): void;
  /** True if no further step is possible. */
  isOver(): boolean;
}

function createNotes(findings: Finding[], profile: string): Notes {
  let over = false;
  const problems = (step: StepName, faults: readonly Fault[]) =>
    faults.map((fault): Finding => ({ profile, where: step, level: "problem", ...fault }));
  return {
    isOver: () => over,
    skip: (step, text) => void findings.push({ profile, where: step, level: "note", code: "skipped", text }),
    async take(step, act) {
      if (over) return undefined;
      try {
        const outcome = await act();
        const { faults, text } = outcome;
        findings.push(
          ...(faults.length > 0 ? problems(step, faults) : [{ profile, where: step, ...inOrder, text }]),
        );
        return outcome;
      } catch (error) {
        if (!(error instanceof StepFault)) throw error;
        over = final.has(error.fault.code);
        findings.push(...problems(step, [error.fault]));
        return undefined;
      }
    },
  };
}

async function walkThrough(walk: LoginWalk, notes: Notes): Promise<void> {
  const { target, profile } = walk;
  const { access_service: service } = profile;
  await notes.take("probe", () => lookAtProbe(walk));
  const picture = await lookAtPicture(walk, notes);
  if (service.backend === "header") {
    await notes.take("login", () => forgeHeader(walk, service.header));
    return;
  }
  const login = await notes.take("login", () => logIn(walk));
  const begun = login?.value;
  const cookie = begun && (await notes.take("cookie", async () => lookAtCookie(walk, begun)));
  const token = await notes.take("token", () => askForToken(walk, cookie?.value));
  if (cookie?.value === undefined) return;
  const held: LoginResult = { cookie: cookie.value, token: token?.value, ...picture };
  await notes.take("access", () => useAccess(walk, held));
  await notes.take("logout", () => logOut(walk, held));
  if (!target.exists && !picture.before)
    notes.skip("image", `no image was examined: name one of the profile ${target.profile} with --identifier`);
}

/** Requests image information and the image before the login, if there is an image. */
async function lookAtPicture(
  walk: LoginWalk,
  notes: Notes,
): Promise<{ readonly before?: ImageProbe; readonly width?: number }> {
  if (!walk.target.exists) return {};
  const info = await notes.take("info.json", () => lookAtInfo(walk));
  const width = info?.value;
  if (info && width === undefined)
    notes.skip(
      "image",
      `nothing can be shown of ${walk.target.identifier}: name another image with --identifier`,
    );
  if (width === undefined) return {};
  const look = await notes.take("image", () => lookAtClosedImage(walk, width));
  return look ? { before: look.value, width } : {};
}

/** Chooses the login by pattern and backend, as the service does. */
function logIn(walk: LoginWalk): Promise<LoggedIn> {
  const { pattern, access_service: service } = walk.profile;
  if (service.backend === "external") return leaveForPage(walk, service.url);
  if (service.backend === "oidc") return leaveForProvider(walk, service.issuer, service.client_id);
  if (pattern === "kiosk") return enter(walk);
  return pattern === "active" ? signIn(walk) : click(walk);
}

/** The clock of this machine stands in for readers' clocks. */
function clockFindings(visitor: Visitor, origin: string): Finding[] {
  const ahead = visitor.clockAhead(origin);
  if (ahead === undefined) return [];
  const seconds = Math.round(Math.abs(ahead) / 1000);
  if (Math.abs(ahead) <= maxSkewMs)
    return [{ where: "clock", ...inOrder, text: `the service and this machine differ by ${seconds} s` }];
  return [
    {
      where: "clock",
      level: "problem",
      code: "clock",
      text: `the clock of the service is ${seconds} s ${ahead > 0 ? "ahead of" : "behind"} that of this machine`,
      expected: `at most ${maxSkewMs / 1000} s`,
      advice:
        "Set the clocks of both machines with NTP: otherwise cookies, tokens and signed logins end too early or too late.",
    },
  ];
}
