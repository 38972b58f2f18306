// /admin/browse: the folders of the sources that can list, with all that is in them, a page at a time.

import { ServiceError } from "../../../errors.ts";
import { imageAddress, mainPrefix } from "../../../iiif/image/mounts.ts";
import { identifierOf } from "../../../iiif/image/path.ts";
import { lookAtAll, type OperatorLook, slowSource } from "../../../images/operator.ts";
import { withDeadline } from "../../../lib/concurrency/bounded-wait.ts";
import { longestSearch, wordsOf } from "../../../manifests/browse/find-names.ts";
import {
  createOperatorFolders,
  type OperatorEntry,
  type OperatorFolder,
  type OperatorFolders,
} from "../../../manifests/browse/operator-folder.ts";
import type { Service } from "../../../service.ts";
import type { RequestContext } from "../../http/context.ts";
import { noteFailure } from "../../http/failure.ts";
import { browseFolder, folderPath, imagePath } from "../addresses.ts";
import { type Admin, type AdminPage, href } from "../admin.ts";
import { adminPage } from "../frame.tsx";
import { createGateReader, type Gate } from "./gated-images.ts";
import { thumbnailOf } from "./thumbnails.ts";
import { Trail } from "./trail.tsx";

/** Its routes. */
export const browsePages: AdminPage = (admin) => {
  const folders = createOperatorFolders(admin.service);
  return [
    { path: "/admin/browse", get: (c) => respondFolder(c, admin, folders, "") },
    {
      path: `${browseFolder}*`,
      get: (c) =>
        respondFolder(c, admin, folders, identifierOf(c.get("target").path.slice(browseFolder.length))),
    },
  ];
};

/** Entries of a page. */
const shown = 60;

/** Longest that a listing is waited for, in milliseconds. One that comes later is remembered for who loads the page again. */
const listMs = 5000;

/** Longest that the images of a page are looked at, in milliseconds. */
const lookMs = 3000;

async function respondFolder(
  c: RequestContext,
  admin: Admin,
  folders: OperatorFolders,
  identifier: string,
): Promise<Response> {
  const { service } = admin;
  const parameters = new URLSearchParams(c.get("target").query);
  const search = (parameters.get("q") ?? "").trim().slice(0, longestSearch);
  const from = /^[1-9]\d{0,8}$/.exec(parameters.get("from") ?? "");
  const request = {
    identifier,
    from: from ? Number(from[0]) - 1 : 0,
    count: shown,
    words: wordsOf(search),
    signal: c.req.raw.signal,
  };
  const opened = await withDeadline(listMs, () => folders.open(request), slowSource()).catch(
    (error: unknown) => {
      if (error instanceof ServiceError && error.kind !== "cancelled") return error;
      throw error;
    },
  );
  const name = identifier.slice(identifier.lastIndexOf("/") + 1);
  const page = { title: name || "Images", section: "images", styles: ["admin/browse.css"] } as const;
  const sources = identifier === "" && search === "" && <SourceList c={c} service={service} />;
  if (opened instanceof ServiceError) {
    const body = (
      <>
        {identifier !== "" && <Trail c={c} trail={[{ identifier, name }]} />}
        {sources}
        <div class="notice warn">
          <p>{opened.message}</p>
        </div>
        <ByIdentifier c={c} />
      </>
    );
    // That a source has no listings is nothing wrong.
    const isWrong = opened.code !== "source_cannot_list";
    const status = isWrong ? noteFailure(c, service.log, opened).status : 200;
    return adminPage(c, admin, { ...page, body }, { status });
  }
  const images = opened.entries.filter(({ kind }) => kind === "image");
  const looks = await lookAtAll(
    service.images,
    images.map((image) => image.identifier),
    lookMs,
  );
  const reader = createGateReader(c, service);
  const gates = await Promise.all(images.map((image) => reader.of(image.identifier)));
  const body = (
    <>
      <Trail c={c} trail={opened.trail} />
      {sources}
      <SearchForm c={c} folder={opened} search={search} />
      <Found folder={opened} search={search} />
      {service.hooks.has("resolve") && <MappedNotice />}
      <Folders c={c} entries={opened.entries} />
      <Images c={c} entries={images} looks={looks} gates={gates} />
      <OtherFiles entries={opened.entries} />
      <Pages c={c} folder={opened} search={search} />
    </>
  );
  return adminPage(c, admin, { ...page, body, scripts: ["admin/browse.js"] });
}

interface Props {
  readonly c: RequestContext;
}

function SourceList({ c, service: { sources } }: Props & { readonly service: Service }) {
  if (sources.all.length === 1) return null;
  // The default source is the root.
  const all = [sources.default, ...sources.all.filter((source) => source !== sources.default)];
  return (
    <section aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      <ul class="places">
        {all.map((source) => {
          const top = source === sources.default ? "" : source.prefix.replace(/\/$/, "");
          return (
            <li>
              {source.list ? (
                <a href={href(c, folderPath(top))}>{source.name}</a>
              ) : (
                <span>{source.name}</span>
              )}
              <span class="quiet">
                {source.backend}
                {source.prefix && `, identifiers begin with ${source.prefix}`}
                {!source.list && "; cannot list what it holds"}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** For sources that cannot list: the page of an image by its identifier. The script of the page makes an address of it. */
function ByIdentifier({ c }: Props) {
  return (
    <form class="search" action={href(c, "/admin/view")} method="get">
      <input
        type="search"
        name="identifier"
        required
        autocomplete="off"
        aria-label="Identifier of an image"
        placeholder="Identifier of an image"
      />
      <button type="submit">Open</button>
    </form>
  );
}

function SearchForm({
  c,
  folder,
  search,
}: Props & { readonly folder: OperatorFolder; readonly search: string }) {
  const name = folder.trail.at(-1)?.name;
  return (
    <search>
      <form class="search" action={href(c, folderPath(folder.identifier))} method="get">
        <input
          type="search"
          name="q"
          value={search}
          maxlength={longestSearch}
          aria-label={name === undefined ? "Search by name" : `Search by name in ${name}`}
          placeholder={name === undefined ? "Search by name" : `Search in ${name}`}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

function Found({ folder, search }: { readonly folder: OperatorFolder; readonly search: string }) {
  const { total, counts, found } = folder;
  if (!found) {
    const parts = counts
      ? [
          counted(counts.folder, "folder"),
          counted(counts.image, "image"),
          counted(counts.other, "other file"),
        ].filter((part) => part !== "")
      : [];
    return <p class="quiet">{parts.join(", ") || "This folder is empty."}</p>;
  }
  const names =
    total === 0 ? `Nothing here has a name with “${search}”.` : `${counted(total, "name")} with “${search}”.`;
  return (
    <p role="status">
      {names}
      {found.isCut && " There are more: add a word to find fewer."}
      {found.stoppedAt !== undefined &&
        ` The search stopped before all was looked through${found.stoppedAt && `, at ${found.stoppedAt}`}. Open a folder and search in it to find what lies further down.`}
    </p>
  );
}

const MappedNotice = () => (
  <div class="notice">
    <p>
      A hook maps identifiers to files here. The names below are those of files: as identifiers they may mean
      another file, or none.
    </p>
  </div>
);

function Folders({ c, entries }: Props & { readonly entries: readonly OperatorEntry[] }) {
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

function Images({
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
  if (look?.size && isShown)
    return (
      <img
        src={href(c, imageAddress(mainPrefix[3], identifier) + thumbnailOf(look.size))}
        alt=""
        loading="lazy"
        decoding="async"
      />
    );
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

function OtherFiles({ entries }: { readonly entries: readonly OperatorEntry[] }) {
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

/** The way to the other pages; nothing where there is one only. */
function Pages({
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

const counted = (count: number, noun: string) =>
  count === 0 ? "" : `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
