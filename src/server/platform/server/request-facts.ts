// Facts about a request beyond the Request object: the socket's peer and the raw target.

export interface RequestFacts {
  /** In the form of `normaliseIp`. */
  readonly address?: string | undefined;
  readonly target?: string;
}

/**
 * Property with the facts: a member costs less than an entry of a WeakMap, which the garbage collector has to
 * follow.
 */
const facts = Symbol("facts");

type NotedRequest = Request & { [facts]?: RequestFacts };

/** Records the server's facts about a request; called once, before it is handled. */
export function noteRequest(request: Request, seen: RequestFacts): void {
  (request as NotedRequest)[facts] = seen;
}

/** The peer's address without port. */
export function notedAddress(request: Request): string | undefined {
  return (request as NotedRequest)[facts]?.address;
}

/** Path and query as they came. */
export function notedTarget(request: Request): string | undefined {
  return (request as NotedRequest)[facts]?.target;
}

/** Path and query of an absolute URL or request target, without any normalisation. */
export function targetOf(url: string): string {
  if (url.startsWith("/")) return url;
  const authority = url.indexOf("://");
  if (authority < 0) return url;
  const rest = url.slice(authority + 3);
  const end = rest.search(/[/?#]/);
  if (end < 0) return "/";
  return rest[end] === "/" ? rest.slice(end) : `/${rest.slice(end)}`;
}
