// Small requests to the services that hand out credentials: bounded in time and size, without redirects.

import { readBoundedBody } from "../bounded-body.ts";
import { CredentialsError } from "./credentials.ts";

/** Sends a request. Redirects are not followed. */
export type Send = (
  url: URL,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

export interface SmallRequest {
  readonly url: URL;
  readonly method?: "GET" | "PUT" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** The service in messages, such as `the metadata service`. */
  readonly service: string;
  /** Advice if it does not respond. */
  readonly advice: string;
}

export interface SmallResponse {
  readonly status: number;
  readonly text: string;
}

/** Maximum number of characters of a response; credentials take some thousand. */
const maxLength = 64 * 1024;
const attempts = 3;
/** Pause before the second attempt; the third waits twice as long. */
const pauseMs = 100;

const isPassing = (status: number) => status === 429 || status >= 500;

/**
 * Returns the response to a request, which is repeated twice while the service is overloaded or broken. A
 * service that does not respond is asked once: those who wait should learn that soon. Throws
 * CredentialsError.
 */
export async function smallRequest(send: Send, request: SmallRequest): Promise<SmallResponse> {
  for (let attempt = 1; ; attempt++) {
    const response = await sendOnce(send, request);
    if (!isPassing(response.status) || attempt === attempts) return response;
    await new Promise((resolve) => setTimeout(resolve, pauseMs * attempt));
  }
}

async function sendOnce(
  send: Send,
  { url, method = "GET", headers = {}, body, timeoutMs, service, advice }: SmallRequest,
): Promise<SmallResponse> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: late,
    });
    return { status: response.status, text: await boundedText(response) };
  } catch (error) {
    const how = late.aborted ? `did not respond within ${timeoutMs} ms` : "could not be reached";
    throw new CredentialsError(`${service} ${how}; ${advice}`, { cause: error });
  }
}

/** Returns the body of a response; empty if it is too long to be credentials. */
const boundedText = async (response: Response): Promise<string> =>
  new TextDecoder().decode(await readBoundedBody(response, maxLength));

/**
 * Returns the credentials of a JSON document, as containers and instances send them: `AccessKeyId`,
 * `SecretAccessKey`, `Token`, `Expiration`. Throws CredentialsError.
 */
export function credentialsIn(text: string, service: string) {
  const fields = jsonFields(text);
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = fields;
  const code = fields.Code ?? fields.code;
  if (typeof AccessKeyId !== "string" || typeof SecretAccessKey !== "string")
    throw new CredentialsError(`${service} sent no credentials${codeText(code)}`);
  const expiresAt = typeof Expiration === "string" ? Date.parse(Expiration) : Number.NaN;
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    ...(typeof Token === "string" && Token !== "" && { sessionToken: Token }),
    ...(!Number.isNaN(expiresAt) && { expiresAt }),
  };
}

/** Returns ` (code X)` if a value has the form of an error code, which contains no secret. */
export const codeText = (code: unknown): string =>
  typeof code === "string" && /^[A-Za-z0-9.]{1,60}$/.test(code) ? ` (code ${code})` : "";

/** Returns the code of a JSON error document as {@link codeText} shows it. */
export function errorCodeText(text: string): string {
  const { Code, code } = jsonFields(text);
  return codeText(Code ?? code);
}

function jsonFields(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
