// The view on the page of an image, as far as the operator's browser may see it, or the reason why it may
// not.

import { loginAddress } from "../../iiif/index.ts";
import type { OperatorLook, RequestContext, Service } from "../../server/index.ts";
import { imagePath } from "../addresses.ts";
import { href } from "../admin.ts";
import type { Gate } from "./gated-images.ts";
import { thumbnailBox, thumbnailOf } from "./thumbnails.ts";

/** Input of the parts of an image page. */
export interface ImageProps {
  readonly c: RequestContext;
  readonly service: Service;
  readonly identifier: string;
  readonly look: OperatorLook;
  readonly gate: Gate | undefined;
  /** Path of the image. */
  readonly address: string;
  readonly thumbnail: string;
  /** Path of its picture on this page. */
  readonly picture: string;
}

/** Says what the operator's browser receives: admin credentials open no gated image. */
export function GateNotice({ c, service: { auth, hooks }, identifier, gate }: ImageProps) {
  if (!gate)
    return (
      <div class="notice warn">
        <p>
          Who may have this image cannot be found out at the moment: a hook or the store of the sessions
          fails.
        </p>
      </div>
    );
  const { profile, tier, refused } = gate;
  if (tier === "public") return null;
  const logins = (auth?.requirementOf(identifier)?.profiles ?? []).filter(
    ({ access_service: { backend } }) => backend !== "header",
  );
  const which =
    profile === undefined
      ? "Gated"
      : `Gated by the ${profile.includes(",") ? "profiles" : "profile"} ${profile}`;
  const back = encodeURIComponent(href(c, imagePath(identifier)));
  const logIn = logins.map(({ name }) => (
    <>
      {" "}
      <a href={`${loginAddress(href(c, ""), name, 2)}?return_to=${back}`}>
        Log in as a reader{logins.length > 1 && ` (${name})`}
      </a>{" "}
      to see what they see.
    </>
  ));
  return (
    <div class={`notice ${tier === "full" ? "good" : "warn"}`}>
      <p>
        {which}. The name and password of this page open no image.{" "}
        {tier === "full" && "This browser is logged in as a reader, so the whole image is shown."}
        {tier === "substitute" && (
          <>This browser is not logged in, so that the lesser picture is shown.{logIn}</>
        )}
        {refused && (
          <>
            This browser gets status {refused.status}, so that no picture is shown: “{refused.reason}”
            {hooks?.has("authorize") &&
              " The authorize hook is asked first: smalti hook test says what it returns, or why it fails."}
            {logIn}
          </>
        )}
      </p>
    </div>
  );
}

/** Hidden until its script runs: without scripts the page shows the thumbnail. */
export function Stage({ c, identifier, look: { size }, gate, picture }: ImageProps) {
  if (!size || !gate?.isShown) return null;
  return (
    <figure id="stage" hidden>
      <div id="viewer" data-address={href(c, picture)} data-name={nameOf(identifier)} />
      <p class="notice bad" id="trouble" role="status" hidden />
      <figcaption>
        <span class="quiet">Drag to move, double-click or use the wheel to zoom.</span>
        <span id="controls">
          <button type="button" class="plain" data-act="in" aria-label="Zoom in">
            +
          </button>
          <button type="button" class="plain" data-act="out" aria-label="Zoom out">
            −
          </button>
          <button type="button" class="plain" data-act="home">
            All
          </button>
          <button type="button" class="plain" data-act="full">
            Full screen
          </button>
        </span>
      </figcaption>
      <script src={href(c, "/admin/static/openseadragon/openseadragon.min.js")} defer />
      <script src={href(c, "/admin/static/page/zoom.js")} defer />
      <script src={href(c, "/admin/static/admin/image.js")} defer />
    </figure>
  );
}

/** For a page without scripts; the stage replaces it. */
export function Thumbnail({ c, identifier, look: { size }, gate, picture }: ImageProps) {
  if (!size || !gate?.isShown) return null;
  const scale = Math.min(1, thumbnailBox / Math.max(size.width, size.height));
  return (
    <img
      id="thumbnail"
      src={href(c, picture + thumbnailOf(size))}
      width={Math.max(1, Math.round(size.width * scale))}
      height={Math.max(1, Math.round(size.height * scale))}
      alt={`Thumbnail of ${nameOf(identifier)}`}
    />
  );
}

/** Returns the last part of an identifier. */
export const nameOf = (identifier: string) => identifier.slice(identifier.lastIndexOf("/") + 1);
