// The documentation: the site that scripts/site builds of docs/, whose addresses are all relative.

import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { builtPageResponse } from "../http/page.ts";
import { noSuchPage, Refusal } from "../http/problem.ts";

const folder = "/static/docs/";

/** Responds with a page of the documentation, or with a file that belongs to it. */
export async function respondDocumentation(c: RequestContext, service: Service): Promise<Response> {
  const path = c.get("target").path.slice(folder.length);
  if (path === "")
    return new Response(null, { status: 302, headers: { Location: `${c.get("base")}${folder}index.html` } });
  if (!/^(?:[\w-]+\/)?[\w-]+\.html$/.test(path)) return c.get("files").respond(c, `docs/${path}`);
  const page = await service.platform.asset(`docs/${path}`);
  if (!page) throw new Refusal(noSuchPage);
  return builtPageResponse(c, new TextDecoder().decode(page), { "Cache-Control": "public, max-age=3600" });
}
