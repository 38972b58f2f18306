// A browser's cookies: stored by name and path, sent to matching paths, removed when they expire.

export interface CookieJar {
  /** The Cookie header for an address; "" without any. */
  header(address: string): string;
  /** Stores the cookies that a response sets. */
  take(response: Response): void;
  /** Current cookies by name. */
  readonly values: ReadonlyMap<string, string>;
  set(name: string, value: string, path?: string): void;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** An empty jar of one host (RFC 6265, section 5). */
export function createCookieJar(): CookieJar {
  const cookies = new Map<string, Cookie>();
  const isFor = (path: string, address: string) => {
    const { pathname } = new URL(address, "https://host.example");
    return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
  };
  return {
    header: (address) =>
      [...cookies.values()]
        .filter(({ path }) => isFor(path, address))
        .map(({ name, value }) => `${name}=${value}`)
        .join("; "),
    take(response) {
      for (const line of response.headers.getSetCookie()) {
        const [pair = "", ...attributes] = line.split("; ");
        const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
        const of = (attribute: string) =>
          attributes
            .find((each) => each.toLowerCase().startsWith(`${attribute}=`))
            ?.slice(attribute.length + 1);
        const path = of("path") ?? "/";
        const expires = of("expires");
        const gone = of("max-age") === "0" || (expires !== undefined && Date.parse(expires) <= Date.now());
        if (gone) cookies.delete(`${name} ${path}`);
        else cookies.set(`${name} ${path}`, { name, value, path });
      }
    },
    get values() {
      return new Map([...cookies.values()].map(({ name, value }) => [name, value]));
    },
    set: (name, value, path = "/") => void cookies.set(`${name} ${path}`, { name, value, path }),
  };
}
