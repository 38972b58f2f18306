// What a page that people see consists of.

/** A page. Files are paths in static/; they get addresses that last. */
export interface Page {
  /** Plain text. */
  readonly title: string;
  /** Language tag of the page; English without it. */
  readonly language?: string;
  /** Safe HTML: what is not ours has gone through `escapeHtml` (page.ts). */
  readonly body: string;
  /** Style sheets, after the one of all pages. */
  readonly styles?: readonly string[];
  /** The style sheet for where no script runs. */
  readonly noscriptStyle?: string;
  /** Scripts, which run in this order when the document is there. */
  readonly scripts?: readonly string[];
  /** Scripts that are ES modules, which run after the others. */
  readonly modules?: readonly string[];
  /** Further elements of the head, as safe HTML. */
  readonly head?: string;
  /** Style elements that its scripts add, as sources of the policy: the hashes of their texts. */
  readonly inlineStyles?: readonly string[];
  /** Whether its scripts write style attributes. */
  readonly styleAttributes?: boolean;
  /** Whether its scripts hold pages of this service in frames, as those of logins. */
  readonly frames?: boolean;
  /** Whether its scripts play sound and films, from the same origins as pictures. */
  readonly media?: boolean;
  /** Origins beside the service's own that pictures and what scripts fetch may come from. */
  readonly origins?: readonly string[];
  /** Whether it has forms, which post to this service. No other page may then hold it in a frame, where clicks are stolen. */
  readonly forms?: boolean;
  /** Whether it has forms that only look something up here, so that it may be held in a frame all the same. */
  readonly searches?: boolean;
  /** Origins beside the service's own that the answer to a form may lead to: browsers hold redirects to the policy too. */
  readonly formOrigins?: readonly string[];
}
