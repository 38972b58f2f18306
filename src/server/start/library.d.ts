// Types of the package as a library. docs/how-to/library.md has examples.

import type { Config } from "./config.d.ts";

export type { Config };

/** Options of the service. Everything is optional: without options it serves its sample image. */
export interface HandlerOptions {
  /** The configuration: text of a smalti.yaml, or the same as an object (docs/reference/configuration.md). */
  readonly config?: string | Config | undefined;
  /**
   * Serves this folder as the only source, in place of the sources in `config`: its path, or its file
   * URL.
   */
  readonly folder?: string | URL | undefined;
  /** Folder that relative paths begin at, or its file URL; that of the process by default. */
  readonly cwd?: string | URL | undefined;
  /**
   * The folder `dist` of this package or a copy of it, if the program is bundled and the package is not
   * installed where it runs: the path, or the file URL.
   */
  readonly files?: string | URL | undefined;
  /**
   * Variables that `config` names, and those that override it (`SERVICE_…`); those of the process by default.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Gets each line of the log, as `log.level` and `log.format` say. By default warnings and errors go to the
   * console.
   */
  readonly log?: ((line: string) => void) | undefined;
}

export interface RequestFacts {
  /**
   * Address of the socket's peer. Limits per client, `trusted_proxies` and the log need it; without it the
   * service cannot distinguish clients.
   */
  readonly clientAddress?: string | null | undefined;
}

/**
 * Responds to a request; never rejects because of a request. Several handlers in a program are independent.
 */
export interface Handler {
  (request: Request, facts?: RequestFacts): Promise<Response>;
  /** Waits for running requests, then ends workers and closes caches. Later requests get 503. */
  close(): Promise<void>;
}

/**
 * Starts the service without a server. Rejects with an Error that lists all problems of the options, or of
 * the configuration, or says what cannot be used.
 */
export function createHandler(options?: HandlerOptions): Promise<Handler>;
