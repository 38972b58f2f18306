// Who did what on the operator's pages: a line in the log for each act, and the latest in memory. Events have
// the names of the OWASP Logging Vocabulary.

import { anonymiseIp, createLru } from "../../base/index.ts";
import type { RequestContext, Service } from "../../server/index.ts";

/**
 * A login that is the first of its name and network for an hour, a wrong one, a refusal for the role, and an
 * act of an operator.
 */
export type AuditEvent = "authn_login_success" | "authn_login_fail" | "authz_fail" | "authz_admin";

export interface AuditRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: AuditEvent;
  /** Name of the operator; undefined for a wrong login, since people type passwords there. */
  readonly operator: string | undefined;
  readonly role: string | undefined;
  /** Shortened, as in the log. */
  readonly network: string | undefined;
  /** The act, such as `purge_image`. */
  readonly action: string | undefined;
  /** What it was about, without control characters and secrets. */
  readonly target: string | undefined;
  readonly result: "done" | "refused" | "failed";
  /** Id of the request, as in its line of the log. */
  readonly id: string;
}

/** What the code of an act knows of it. */
export type Act = Partial<Pick<AuditRecord, "action" | "target" | "result">>;

export interface Audit {
  note(c: RequestContext, event: AuditEvent, act?: Act): void;
  /** Records a login, at most once an hour for a name and network. */
  noteLogin(c: RequestContext): void;
  /** Returns the newest first. */
  latest(): readonly AuditRecord[];
  /** Number of older records that were left out. */
  leftOut(): number;
}

/** Records of each kind in memory: others cannot displace acts by wrong logins. */
const maxActs = 500;
const maxOthers = 200;
const loginMs = 3_600_000;
const maxLogins = 1000;
const maxTarget = 500;

/** Creates the audit of a service, which begins with the process. */
export function createAudit({ log }: Pick<Service, "log">, now = () => performance.now()): Audit {
  const acts: AuditRecord[] = [];
  const others: AuditRecord[] = [];
  const logins = createLru<string, number>(maxLogins);
  let left = 0;
  const keep = (records: AuditRecord[], record: AuditRecord, max: number) => {
    records.push(record);
    if (records.length > max) {
      records.shift();
      left++;
    }
  };
  const note: Audit["note"] = (c, event, act = {}) => {
    const operator = c.get("operator");
    const client = c.get("client");
    const { action, target, result = event === "authn_login_success" ? "done" : "refused" } = act;
    const fields = {
      event,
      operator: operator && printable(operator.name),
      role: operator?.role,
      network: client === undefined ? undefined : anonymiseIp(client),
      action,
      target: target === undefined ? undefined : printable(target),
      result,
      id: c.get("id"),
    };
    // Acts are in the log of an operator too who finds each request too much.
    log[event === "authn_login_success" ? "info" : "warn"]("audit", fields);
    const isAct = event === "authz_admin";
    keep(isAct ? acts : others, { at: Date.now(), ...fields }, isAct ? maxActs : maxOthers);
  };
  return {
    note,
    noteLogin(c) {
      const login = `${anonymiseIp(c.get("client") ?? "")} ${c.get("operator")?.name}`;
      const last = logins.get(login);
      if (last !== undefined && now() - last < loginMs) return;
      logins.set(login, now(), 1);
      note(c, "authn_login_success");
    },
    latest: () => [...acts, ...others].sort((a, b) => b.at - a.at),
    leftOut: () => left,
  };
}

/** Writes control and format characters as escapes, so that no text forges a line or hides its end. */
function printable(text: string): string {
  const shown = text.length > maxTarget ? `${text.slice(0, maxTarget)}…` : text;
  return shown.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
