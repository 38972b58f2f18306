// Addresses as URLs.

/**
 * Parses a URL, relative to `base` if given; returns undefined for anything else. `URL.canParse` of Node 20
 * is not used: once it is called often, it refuses addresses with letters such as ä.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
