// Requests at a terminal: a person who tries the service gets one line a minute in place of one for each.

import { formatSize, type RequestRecord } from "../../base/index.ts";

export interface MinuteSummary {
  /** Counts a request. The first one begins a minute, at whose end the line is written. */
  note(request: Pick<RequestRecord, "status" | "bytes" | "began" | "ended">): void;
  /** Writes what has not been written, for the end of the process. */
  end(): void;
}

const minuteMs = 60_000;

/** Creates a summary that writes whole lines by `write`. */
export function createMinuteSummary(write: (line: string) => void): MinuteSummary {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let counts = { requests: 0, refused: 0, errors: 0, bytes: 0, slowest: 0 };
  const end = () => {
    clearTimeout(timer);
    timer = undefined;
    if (counts.requests > 0) write(summaryLine(Date.now(), counts));
    counts = { requests: 0, refused: 0, errors: 0, bytes: 0, slowest: 0 };
  };
  return {
    note({ status, bytes, began, ended }) {
      timer ??= setTimeout(end, minuteMs);
      counts.requests++;
      if (status >= 500) counts.errors++;
      else if (status >= 400) counts.refused++;
      counts.bytes += bytes;
      counts.slowest = Math.max(counts.slowest, ended - began);
    },
    end,
  };
}

interface MinuteCounts {
  readonly requests: number;
  /** Responses with status 4xx. */
  readonly refused: number;
  /** Responses with status 5xx. */
  readonly errors: number;
  /** Bytes of bodies. */
  readonly bytes: number;
  /** Milliseconds. */
  readonly slowest: number;
}

/** One line such as `14:02 — 312 requests, 2 errors, 5 with status 4xx, 18 MiB sent, slowest 1.2 s`. */
export function summaryLine(
  now: number,
  { requests, refused, errors, bytes, slowest }: MinuteCounts,
): string {
  const parts = [
    countWithNoun(requests, "request"),
    countWithNoun(errors, "error"),
    ...(refused > 0 ? [`${refused.toLocaleString("en")} with status 4xx`] : []),
    `${formatSize(bytes)} sent`,
    `slowest ${slowest < 1000 ? `${Math.round(slowest)} ms` : `${(slowest / 1000).toFixed(1)} s`}`,
  ];
  return `${new Date(now).toTimeString().slice(0, 5)} — ${parts.join(", ")}\n`;
}

const countWithNoun = (n: number, noun: string) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
