// /admin/browse: the folders of sources with listings, with all of their contents, a page at a time.

import { type Finding, findingLine, ServiceError, withDeadline } from "../../base/index.ts";
import { identifierOf } from "../../iiif/index.ts";
import {
  createOperatorFolders,
  locationOf,
  lookAtAll,
  manifestFileFaults,
  maxSearchLength,
  noteFailure,
  type OperatorFolders,
  type RequestContext,
  type Service,
  slowSource,
  wordsOf,
} from "../../server/index.ts";
import { browseFolder, folderPath } from "../addresses.ts";
import { type Admin, type AdminPage, href } from "../admin.ts";
import { adminPage } from "../frame.tsx";
import { Folders, Images, OtherFiles, Pages, shown } from "./entries.tsx";
import { createGateReader } from "./gated-images.ts";
import { ByIdentifier, Found, SearchForm } from "./search.tsx";
import { Trail } from "./trail.tsx";

/** Routes of /admin/browse. */
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

/** Longest wait for a listing, in milliseconds. A later one is cached for the next load of the page. */
const listMs = 5000;

/** Longest time for reading the images of a page, in milliseconds. */
const lookMs = 3000;

async function respondFolder(
  c: RequestContext,
  admin: Admin,
  folders: OperatorFolders,
  identifier: string,
): Promise<Response> {
  const { service } = admin;
  const parameters = new URLSearchParams(c.get("target").query);
  const search = (parameters.get("q") ?? "").trim().slice(0, maxSearchLength);
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
    // A source without listings is not a fault.
    const isWrong = opened.code !== "source_cannot_list";
    const status = isWrong ? noteFailure(c, service.log, opened).status : 200;
    return adminPage(c, admin, { ...page, body }, { status });
  }
  const faults = search === "" ? await faultsOf(service, identifier) : [];
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
      {service.hooks?.has("resolve") && <MappedNotice />}
      <ManifestFaults faults={faults} />
      <Folders c={c} entries={opened.entries} />
      <Images c={c} entries={images} looks={looks} gates={gates} />
      <OtherFiles entries={opened.entries} />
      <Pages c={c} folder={opened} search={search} />
    </>
  );
  return adminPage(c, admin, { ...page, body, scripts: ["admin/browse.js"] });
}

function SourceList({ c, service: { sources } }: { readonly c: RequestContext; readonly service: Service }) {
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

/** Longest time for reading a manifest file, in milliseconds. */
const readMs = 3000;

/** Returns the mistakes in the manifest file of a folder; none if it cannot be read in time. */
async function faultsOf(service: Service, identifier: string): Promise<readonly Finding[]> {
  if (!service.manifests) return [];
  const location = locationOf(service.sources, identifier);
  const read = async () => {
    const folder = await service.folders.read(location.source, location.key);
    return folder ? manifestFileFaults(service.sources, location, folder) : [];
  };
  return withDeadline(readMs, read, slowSource()).catch((error: unknown) => {
    if (error instanceof ServiceError) return [];
    throw error;
  });
}

function ManifestFaults({ faults }: { readonly faults: readonly Finding[] }) {
  if (faults.length === 0) return null;
  return (
    <section class="notice warn" aria-labelledby="manifest-faults">
      <h2 id="manifest-faults">Mistakes in the manifest file</h2>
      <p>What is wrong is left out of the manifest, and all else is used.</p>
      <ul>
        {faults.map((fault) => (
          <li>{findingLine(fault)}</li>
        ))}
      </ul>
    </section>
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
