// Asks strangers to prove work before a page or a download opens, and takes their proofs. Nothing is stored:
// a challenge is signed for the network that it was made for, and a solved one is exchanged for a pass.

import { z } from "zod";
import { parseJson, toHex } from "../../../../base/index.ts";
import type { Visitors } from "../../../visitors/visitors.ts";
import { readForm } from "../body.ts";
import type { Passes } from "../client/passes.ts";
import type { RequestContext } from "../context.ts";
import { pageResponse } from "../page.ts";
import { Refusal } from "../problem.ts";
import { isNavigation, type ProofKind } from "./navigation.ts";
import { proofPage } from "./page.ts";
import type { Challenge } from "./work.ts";

/** Where browsers send their proofs. */
export const proofPath = "/proof";

/** Cache-Control of all responses here. */
const forOneVisitor = "private, no-store";

/** Seconds after which a reader whose browser cannot calculate may go on anyway. */
const waitSeconds = 10;

/** Bytes of a proof at most; one has about 600. */
const maxBytes = 4096;

export interface ProofParts {
  /** What strangers prove work for. */
  readonly asks: "downloads" | "pages";
  readonly mode: "observe" | "limit";
  readonly visitors: Pick<Visitors, "noteProof">;
  /** Passes of the viewer, which need no proof, and those that come of one. */
  readonly passes: Passes;
  readonly proofs: Passes;
  readonly secret: string;
  /** Meets the visitor of a request again, by the passes that were verified meanwhile. */
  readonly meet: (c: RequestContext) => RequestContext["var"]["visitor"];
}

export interface ProofGate {
  /** Returns the page for a stranger who has to prove work before this request; undefined for all others. */
  ask(c: RequestContext): Promise<Response | undefined> | undefined;
  /**
   * Takes a proof that a browser sends: 204 with a pass. Throws a Refusal: 403 if it is wrong, over, of
   * another network, or if the browser keeps no cookies.
   */
  take(c: RequestContext): Promise<Response>;
}

/** Creates the gate by the settings in effect. */
export function createProofGate(parts: ProofParts): ProofGate {
  const { asks, mode, visitors, proofs } = parts;
  return {
    ask(c) {
      const kind = kindOf(c);
      if (!kind || (kind === "page" && asks === "downloads")) return undefined;
      const { method, headers } = c.req.raw;
      if (isNavigation(method, headers)) return askForProof(c, parts);
      // A page that was not asked for by a window gives no pass, which would let it past the question.
      if (mode === "limit" && kind === "page" && c.get("visitor")?.isStranger) c.set("passes", undefined);
      return undefined;
    },
    async take(c) {
      const form = await readForm(c, maxBytes);
      if (!proofs.isBrought(c.req.raw.headers))
        throw refusal("proof_needs_cookie", "Expected the cookie of the page that asks; received none.");
      const { challenge, solution } = readProof(form);
      const { isSolved } = await import("./work.ts");
      if (!(await isSolved(await secretFor(parts.secret, c.get("visitor")?.network), challenge, solution))) {
        visitors.noteProof("wrong");
        throw wrong();
      }
      visitors.noteProof("solved");
      const pass = await proofs.issue(c.get("client"), c.get("base"));
      return new Response(null, {
        status: 204,
        headers: { "Cache-Control": forOneVisitor, "Set-Cookie": pass },
      });
    },
  };
}

/** Returns what strangers prove work for at an address; undefined if it needs none. */
function kindOf(c: RequestContext): ProofKind | undefined {
  const proof = c.get("route")?.proof;
  return typeof proof === "function" ? proof(c.get("target").path) : proof;
}

async function askForProof(c: RequestContext, parts: ProofParts): Promise<Response | undefined> {
  const { mode, visitors, passes, proofs } = parts;
  const { headers } = c.req.raw;
  const client = c.get("client");
  // What a browser brings may not have been verified yet, for example by a server that has just started.
  const [, state] = await Promise.all([passes.find(headers, client), proofs.find(headers, client)]);
  const visitor = parts.meet(c);
  c.set("visitor", visitor);
  if (!visitor?.isStranger) return undefined;
  visitors.noteProof("asked");
  if (mode === "observe") return undefined;

  const { createWork } = await import("./work.ts");
  const challenge = await createWork(await secretFor(parts.secret, visitor.network));
  const base = c.get("base");
  const folder = new URL(base).pathname.replace(/\/$/, "");
  const page = proofPage(headers.get("Accept-Language"), {
    challenge: JSON.stringify(challenge),
    to: folder + proofPath,
    worker: folder + (await c.get("files").address("proof/worker.js")),
    seconds: waitSeconds,
  });
  c.set("failure", { code: "proof_required", detail: "A stranger was asked to prove work." });
  const cookie: Record<string, string> =
    state === "early" ? {} : { "Set-Cookie": await proofs.issue(client, base, waitSeconds) };
  return pageResponse(c, page, {
    status: 403,
    headers: { "Cache-Control": forOneVisitor, "Referrer-Policy": "same-origin", ...cookie },
  });
}

const challengeForm = z.strictObject({
  parameters: z.record(z.string(), z.union([z.string(), z.number()])),
  signature: z.string(),
});

/** Reads the fields of a proof. Throws a Refusal if they have another form. */
function readProof(form: URLSearchParams) {
  const counter = form.get("counter") ?? "";
  let parsed: unknown;
  try {
    parsed = parseJson(form.get("challenge") ?? "");
  } catch {
    throw wrong();
  }
  const challenge = challengeForm.safeParse(parsed);
  if (!challenge.success || !/^\d{1,9}$/.test(counter)) throw wrong();
  return {
    challenge: challenge.data as unknown as Challenge,
    solution: { counter: Number(counter), derivedKey: form.get("key") ?? "" },
  };
}

const refusal = (code: string, found: string) =>
  new Refusal({
    status: 403,
    code,
    detail: `${found} Load the page again.`,
    headers: { "Cache-Control": forOneVisitor },
  });

const wrong = () =>
  refusal("proof_wrong", "Expected the solution of a challenge for your network; received another one.");

const utf8 = new TextEncoder();

/** Returns the secret of the challenges for one network, which is that of nothing else. */
async function secretFor(secret: string, network = ""): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", utf8.encode(secret), algorithm, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, utf8.encode(`smalti proof of work\n${network}`));
  return toHex(new Uint8Array(mac));
}
