// Error reports: each response with status 5xx as JSON to a server of the operator's; no response waits for
// it.

import {
  type Counts,
  createLru,
  createSeldom,
  type Log,
  maskUrls,
  type Platform,
  secretOf,
} from "../../base/index.ts";
import type { ErrorOptions } from "./options.ts";

/** Facts about a failed request. Contains no header, query or address of the client. */
export interface Failure {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** W3C trace id. */
  readonly trace?: string | undefined;
  readonly route: string;
  readonly status: number;
  /** Code of the response; undefined if it names none. */
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
  /** Internal cause, with its stack. */
  readonly cause?: string | undefined;
}

/**
 * `repeated` are those of a kind that was reported within the last minute; `dropped` came while too many were
 * in progress.
 */
export type ReportCounts = Counts<"sent" | "failed" | "repeated" | "dropped">;

export interface ErrorReports {
  /** Sends a report in the background, or counts the failure to one that was sent. Never throws. */
  report(failure: Failure): void;
  /** Resolves when all reports in progress have arrived or failed: within five seconds. */
  close(): Promise<void>;
}

export interface ReportParts {
  readonly platform: Pick<Platform, "name" | "version" | "env" | "keepAlive">;
  readonly version: string;
  readonly log: Pick<Log, "warn">;
  readonly counts: ReportCounts;
  readonly now?: () => number;
}

/** Failures of a kind within this number of milliseconds are one report. */
const onceInMs = 60_000;
/** Number of kinds that are distinguished within that time. */
const maxKinds = 256;
/** Reports under way. */
const maxAtOnce = 32;
const timeoutMs = 5000;
/** Characters of a text in a report. */
const maxTextLength = 8192;

/** Returns undefined if reports are disabled. Throws an Error if the variable of the token is not set. */
export function createErrorReports(
  { report_url, token_env }: ErrorOptions,
  { platform, version, log, counts, now = () => performance.now() }: ReportParts,
): ErrorReports | undefined {
  if (report_url === "") return undefined;
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "User-Agent": `smalti/${version}`,
  };
  if (token_env !== "") headers.Authorization = `Bearer ${secretOf(token_env, platform.env)}`;
  /** The log names only the origin: the path may be a secret too. */
  const { origin } = new URL(report_url);
  const seldom = createSeldom(onceInMs);
  /** By kind: until when failures of it are only counted, and their number. */
  const kinds = createLru<string, { readonly until: number; repeated: number }>(maxKinds);
  const underWay = new Set<Promise<void>>();

  const send = async (body: string): Promise<void> => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const post = () =>
        fetch(report_url, {
          method: "POST",
          headers,
          body,
          signal: controller.signal,
          redirect: "manual", // the token is for this server alone
        });
      // The server may have closed the idle connection at the moment of its reuse: a second attempt opens
      // another.
      const response = await post().catch(post);
      await response.body?.cancel();
      if (!response.ok) throw new Error(`its server answered with status ${response.status}`);
      counts.sent.add();
    } catch (error) {
      counts.failed.add();
      if (seldom("failed"))
        log.warn("an error could not be reported", {
          server: origin,
          reason: controller.signal.aborted
            ? `no response within ${timeoutMs / 1000} s`
            : String(error).replaceAll(report_url, origin),
        });
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    report(failure) {
      const kind = kindOf(failure);
      const known = kinds.get(kind);
      const time = now();
      if (known && time < known.until) {
        known.repeated++;
        return counts.repeated.add();
      }
      if (underWay.size >= maxAtOnce) return counts.dropped.add();
      kinds.set(kind, { until: time + onceInMs, repeated: 0 }, 1);
      const sending = send(bodyOf(failure, known?.repeated ?? 0)).finally(() => underWay.delete(sending));
      underWay.add(sending);
      platform.keepAlive?.(sending);
    },
    async close() {
      await Promise.all(underWay);
    },
  };

  function bodyOf(failure: Failure, repeated: number): string {
    const { detail, cause } = failure;
    return JSON.stringify({
      service: "smalti",
      version,
      runtime: `${platform.name} ${platform.version}`.trim(),
      at: new Date().toISOString(),
      ...failure,
      detail: detail && shortenText(detail),
      cause: cause && shortenText(cause),
      // Since the report before of this kind.
      repeated,
    });
  }
}

/**
 * Failures are of one kind if they have the same class, status, code and cause, apart from names and numbers
 * in the cause.
 */
function kindOf({ route, status, code, cause = "" }: Failure): string {
  const [first = ""] = cause.slice(0, 500).split("\n");
  return [route, status, code, first.replace(/(["'`]).*?\1|[/\\]\S*|\d+/g, "")].join(" ");
}

const shortenText = (text: string) => {
  const masked = maskUrls(text);
  return masked.length > maxTextLength ? `${masked.slice(0, maxTextLength)}…` : masked;
};
