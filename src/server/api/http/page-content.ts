// Contents of an HTML page.

/** A page. Files are paths in static/; they get permanent addresses. */
export interface Page {
  /** Plain text. */
  readonly title: string;
  /** Language tag of the page; English by default. */
  readonly language?: string;
  /** Safe HTML: foreign text has gone through `escapeHtml` (page.ts). */
  readonly body: string;
  /** Style sheets, in addition to the one of all pages. */
  readonly styles?: readonly string[];
  /** Style sheet that applies if no script runs. */
  readonly noscriptStyle?: string;
  /** Scripts, which run in this order after the document is parsed. */
  readonly scripts?: readonly string[];
  /** Scripts that are ES modules, which run after the others. */
  readonly modules?: readonly string[];
  /** Additional elements of the head, as safe HTML. */
  readonly head?: string;
  /** Style elements that its scripts add, as policy sources: the hashes of their texts. */
  readonly inlineStyles?: readonly string[];
  /** True if its scripts write style attributes. */
  readonly styleAttributes?: boolean;
  /** True if its scripts embed pages of this service in frames, such as those of logins. */
  readonly frames?: boolean;
  /** True if its scripts play sound and films, from the same origins as images. */
  readonly media?: boolean;
  /** Further origins that images and fetched resources may come from. */
  readonly origins?: readonly string[];
  /**
   * True if it has forms, which post to this service. Other pages may not frame it then, to prevent
   * clickjacking.
   */
  readonly forms?: boolean;
  /** True if it has forms that only search, so that it may still be framed. */
  readonly searches?: boolean;
  /**
   * Further origins that the response to a form may redirect to: browsers apply the policy to redirects too.
   */
  readonly formOrigins?: readonly string[];
}
