// Reads bodies of POST requests, completely and within a limit.

import { cancelledError, concatenate, JsonTooDeep, maxJsonLevels, parseJson } from "../../../base/index.ts";
import type { RequestContext } from "./context.ts";
import { Refusal } from "./problem.ts";

/**
 * Returns the fields of a form (`application/x-www-form-urlencoded`; URL Standard, section 5.1) of at most
 * `maxBytes`. Throws a Refusal: 413 if it is larger, 415 for another type, 400 if the text or its
 * percent-encoding is malformed.
 */
export async function readForm(c: RequestContext, maxBytes: number): Promise<URLSearchParams> {
  const text = await readText(c, types.form, maxBytes, "invalid_form");
  try {
    // URLSearchParams accepts broken percent-encoding as text.
    for (const part of text.split(/[&=]/)) decodeURIComponent(part);
  } catch {
    throw badBody("invalid_form", "Expected a form in percent-encoded UTF-8; received a broken escape.");
  }
  return new URLSearchParams(text);
}

/**
 * Returns the value of a JSON body (RFC 8259) of at most `maxBytes`; types with the suffix +json are accepted
 * (RFC 6839, section 3.1). Throws a Refusal: 413 if it is larger, 415 for another type, 400 if the text is
 * not JSON, or (code of `tooDeep`) has more than 64 levels.
 */
export async function readJson(
  c: RequestContext,
  maxBytes: number,
  tooDeep: { readonly code: string } = { code: "json_too_deep" },
): Promise<unknown> {
  const text = await readText(c, types.json, maxBytes, "invalid_json");
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonTooDeep)
      throw badBody(
        tooDeep.code,
        `Expected a body of at most ${maxJsonLevels} levels of lists and objects; received more.`,
      );
    throw badBody("invalid_json", "Expected a JSON text as the body; received something else.");
  }
}

interface BodyType {
  readonly name: string;
  fits(essence: string): boolean;
}

const formType = "application/x-www-form-urlencoded";

/** Accepted body types. */
const types = {
  form: { name: formType, fits: (essence) => essence === formType },
  json: {
    name: "application/json (or one that ends in +json, such as application/ld+json)",
    fits: (essence) => /^application\/([^/+]+\+)*json$/.test(essence),
  },
} as const satisfies Readonly<Record<string, BodyType>>;

async function readText(
  c: RequestContext,
  type: BodyType,
  maxBytes: number,
  invalid: "invalid_form" | "invalid_json",
): Promise<string> {
  const { headers } = c.req.raw;
  const [essence = "", ...parameters] = (headers.get("Content-Type") ?? "").toLowerCase().split(";");
  const charset = parameters.map((each) => /^\s*charset="?([^"\s]*)"?\s*$/.exec(each)?.[1]).find(Boolean);
  const isPlain = (headers.get("Content-Encoding") ?? "identity").toLowerCase() === "identity";
  if (!type.fits(essence.trim()) || (charset ?? "utf-8") !== "utf-8" || !isPlain)
    throw new Refusal({
      status: 415,
      code: "unsupported_body_type",
      detail: `Expected a body of the type ${type.name} in UTF-8, not compressed; received something else. Correct the fields Content-Type and Content-Encoding.`,
    });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readBytes(c.req.raw, maxBytes));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw badBody(invalid, "Expected text in UTF-8 as the body; received other bytes.");
  }
}

/** Returns the whole body. The announced length is trusted only if it is too large. */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get("Content-Length")) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(() => {
      throw cancelledError(request.signal);
    });
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      void reader.cancel().catch(() => {}); // the client may have left
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  return concatenate(chunks);
}

const tooLarge = (maxBytes: number) =>
  new Refusal({
    status: 413,
    code: "body_too_large",
    detail: `Expected a body of at most ${maxBytes} bytes; received more. Send less.`,
  });

const badBody = (code: string, found: string) =>
  new Refusal({ status: 400, code, detail: `${found} Correct the body and send it again.` });
