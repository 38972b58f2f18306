// Contents of a folder: folders, images with thumbnails and facts, other files, and links to its other pages.

import { imageAddress } from "../../iiif/index.ts";
import type { OperatorEntry, OperatorFolder, OperatorLook, RequestContext } from "../../server/index.ts";
import { folderPath, imagePath, pictureFolder } from "../addresses.ts";
import { href } from "../admin.ts";
import type { Gate } from "./gated-images.ts";
import { thumbnailOf } from "./thumbnails.ts";

interface Props {
  readonly c: RequestContext;
}

/** Number of entries per page. */
export const shown = 60;

/** Links to the folders; nothing if there are none. */
export function Folders({ c, entries }: Props & { readonly entries: readonly OperatorEntry[] }) {
  const folders = entries.filter(({ kind }) => kind === "folder");
  if (folders.length === 0) return null;
  return (
    <section aria-labelledby="folders">
      <h2 id="folders">Folders</h2>
      <ul class="folders">
        {folders.map(({ identifier, name }) => (
          <li>
            <a href={href(c, folderPath(identifier))}>
              <svg viewBox="0 0 24 24" aria-hidden="true">
                <path d="M3 6h6l2 2h10v11H3z" />
              </svg>
              <span>{name}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * The images with their sizes and profiles, and thumbnails that this browser may see; `looks` and `gates` by
 * index.
 */
export function Images({
  c,
  entries,
  looks,
  gates,
}: Props & {
  readonly entries: readonly OperatorEntry[];
  readonly looks: readonly (OperatorLook | undefined)[];
  readonly gates: readonly Gate[];
}) {
  if (entries.length === 0) return null;
  return (
    <section aria-labelledby="images">
      <h2 id="images">Images</h2>
      <ul class="images">
        {entries.map(({ identifier, name }, at) => {
          const gate = gates[at];
          return (
            <li>
              <a href={href(c, imagePath(identifier))} title={identifier}>
                <Thumbnail c={c} look={looks[at]} isShown={gate?.isShown === true} identifier={identifier} />
                <span class="name">{name}</span>
              </a>
              <Facts look={looks[at]} />
              {gate?.profile !== undefined && <span class="pill">{gate.profile}</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Thumbnail({
  c,
  look,
  isShown,
  identifier,
}: Props & {
  readonly look: OperatorLook | undefined;
  readonly isShown: boolean;
  readonly identifier: string;
}) {
  if (look?.size && isShown) {
    const address = href(c, imageAddress(pictureFolder, identifier) + thumbnailOf(look.size));
    return (
      <>
        <span class="nothing" data-thumbnail={address} />
        <noscript>
          <img src={address} alt="" loading="lazy" decoding="async" />
        </noscript>
      </>
    );
  }
  return <span class="nothing">{look?.size ? "gated" : ""}</span>;
}

function Facts({ look }: { readonly look: OperatorLook | undefined }) {
  if (!look) return <span class="quiet reason">It could not be looked at in time.</span>;
  const { size, problem } = look;
  if (size)
    return (
      <span class="quiet">
        {size.width} × {size.height}
      </span>
    );
  return <span class="reason bad">{problem?.message}</span>;
}

/** Names of files that are not images; nothing if there are none. */
export function OtherFiles({ entries }: { readonly entries: readonly OperatorEntry[] }) {
  const others = entries.filter(({ kind }) => kind === "other");
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="others">
      <h2 id="others">Other files</h2>
      <ul class="files">
        {others.map(({ name }) => (
          <li class="path">{name}</li>
        ))}
      </ul>
      <p class="quiet">They are no images by their names, or have names that no address can hold.</p>
    </section>
  );
}

/** Links to the other pages; nothing if there is only one. */
export function Pages({
  c,
  folder: { identifier, from, total, entries },
  search,
}: Props & { readonly folder: OperatorFolder; readonly search: string }) {
  if (total <= shown) return null;
  const last = Math.floor((total - 1) / shown) * shown;
  const link = (text: string, to: number, isThere: boolean, rel?: string) => {
    const query = new URLSearchParams({
      ...(search && { q: search }),
      ...(to > 0 && { from: String(to + 1) }),
    }).toString();
    return isThere ? (
      <a href={`${href(c, folderPath(identifier))}${query && `?${query}`}`} rel={rel}>
        {text}
      </a>
    ) : (
      <span class="quiet" aria-hidden="true">
        {text}
      </span>
    );
  };
  return (
    <nav class="pages" aria-label="Pages">
      {link("First", 0, from > 0)}
      {link("Previous", Math.max(0, from - shown), from > 0, "prev")}
      <span>
        {(from + 1).toLocaleString("en")}–{(from + entries.length).toLocaleString("en")} of{" "}
        {total.toLocaleString("en")}
      </span>
      {link("Next", from + shown, from + shown < total, "next")}
      {link("Last", last, from < last)}
    </nav>
  );
}
