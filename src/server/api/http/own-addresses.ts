// The addresses by which a request may name what this service has.

import { imageMounts, type OwnPlaces } from "../../../iiif/index.ts";
import type { Service } from "../../service.ts";
import { baseUrl, requestHost } from "./client/client.ts";
import type { RequestContext } from "./context.ts";

/**
 * Returns the public URL, and the addresses that the request itself came by: forwarded by a proxy, and the
 * field Host. Links are only read, never requested, so that it does not matter who names a host.
 */
export function ownAddresses(c: RequestContext, service: Service): OwnPlaces {
  const { platform, proxies, config, images } = service;
  const request = c.req.raw;
  const forwarded = baseUrl(request, platform.clientAddress(request), { proxies, baseUrl: "" });
  const bases = [c.get("base"), forwarded, `http://${requestHost(request)}`].filter(
    (base) => base !== undefined,
  );
  const mounts = imageMounts(config().aliases);
  return { bases: [...new Set(bases)], mounts, formats: images.formats };
}
