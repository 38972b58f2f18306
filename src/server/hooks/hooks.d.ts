// Types for authors of smalti hooks, in JavaScript or as a web service. In a JavaScript file:
//   /** @type {import("./hooks").Resolve} */
//   export const resolve = ({ identifier }) => ({ key: `${identifier}.tif` });

/** A request for an image or its information. */
export interface HookRequest {
  /** Decoded, without its page suffix. */
  readonly identifier: string;
  /** Page of the master, from 1. */
  readonly page: number;
  /** Path of the request as received, without its query. */
  readonly request_path: string;
  /** Only with `hook.client_ip: true`, if the address is known. */
  readonly client_ip?: string;
  /** The received headers among those named in `hook.headers`, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request for a manifest or collection. */
export interface PresentationRequest {
  readonly id: string;
  readonly kind: "manifest" | "collection";
  /** The document that would be sent without the hook. */
  readonly descriptor: Readonly<Record<string, unknown>>;
}

/** Location of a master. */
export interface Resolution {
  /** Key within its source, such as a path below its root. */
  readonly key: string;
  /** Name of a configured source; the default source if absent. */
  readonly source?: string | null;
  /** Page of the master, from 1; the requested page if absent. */
  readonly page?: number | null;
}

/** Who may have an image. Hooks can only restrict the access that the rules allow. */
export interface Authorization {
  readonly allow: boolean;
  /** A text for the reader, in one line. */
  readonly reason?: string | null;
  /**
   * Identifier of another image to show instead of the requested one; `true` for the image of `max_size` of
   * its profile.
   */
  readonly substitute?: string | true | null;
  /** Absolute http or https URL to send the reader to. */
  readonly redirect?: string | null;
  /** Used only in the decision record. */
  readonly profile?: string | null;
  /** Status of a denial: 401, 403, 404, 410, 429 or 451. */
  readonly status?: number | null;
}

/** Settings of an overlay; missing ones are as configured under `overlay:`. */
export interface OverlaySettings {
  /** A file in `overlay.folder`, or `source:key`. Empty for no overlay. */
  readonly image?: string | null;
  readonly anchor?:
    | "top-left"
    | "top"
    | "top-right"
    | "left"
    | "center"
    | "right"
    | "bottom-left"
    | "bottom"
    | "bottom-right"
    | null;
  /** Pixels of the response, across and down. */
  readonly offset?: readonly [number, number] | null;
  readonly fit?: "shrink" | "scale" | "tile" | null;
  /** 0 to 1. */
  readonly opacity?: number | null;
  /** Responses with a side of fewer pixels have no overlay. */
  readonly min_size?: number | null;
}

/** Result of a function; undefined and null are no opinion. */
export type Answer<T> = T | null | undefined | Promise<T | null | undefined>;

/** Returns false if there is no image under this identifier. */
export type Resolve = (request: HookRequest) => Answer<Resolution | false>;
export type Authorize = (request: HookRequest) => Answer<Authorization>;
/** Returns false for no overlay, whatever is configured. */
export type Overlay = (request: HookRequest) => Answer<OverlaySettings | false>;
/** Returns members to merge into the document. */
export type Presentation = (request: PresentationRequest) => Answer<Readonly<Record<string, unknown>>>;

/**
 * Body of a request to a web service; the body of its response is the result of the function with that name,
 * as JSON.
 */
export type WebhookQuestion =
  | { readonly function: "resolve" | "authorize" | "overlay"; readonly input: HookRequest }
  | { readonly function: "presentation"; readonly input: PresentationRequest };
