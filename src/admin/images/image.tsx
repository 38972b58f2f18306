// /admin/view/{identifier}: one image, its source, its addresses, its cached entries, and a zoomable view.

import { diagnose } from "../../doctor/index.ts";
import {
  checkIdentifier,
  documentAddress,
  identifierOf,
  imageAddress,
  mainPrefix,
  splitPage,
  viewAddress,
} from "../../iiif/index.ts";
import {
  locationOf,
  lookAtAll,
  type OperatorLook,
  type RequestContext,
  type Service,
  slowSource,
  trailOf,
} from "../../server/index.ts";
import { imagePath, pictureFolder, viewFolder } from "../addresses.ts";
import { type Admin, type AdminPage, href } from "../admin.ts";
import { adminPage } from "../frame.tsx";
import { mayChange } from "../posts.ts";
import { Findings, Knowledge } from "./diagnosis.tsx";
import { decideForBrowser } from "./gated-images.ts";
import { GateNotice, type ImageProps, nameOf, Stage, Thumbnail } from "./picture.tsx";
import { thumbnailOf } from "./thumbnails.ts";
import { Trail } from "./trail.tsx";

/** Routes of /admin/view/{identifier}. */
export const imagePages: AdminPage = (admin) => [
  { path: "/admin/view", get: openNamed },
  {
    path: `${viewFolder}*`,
    get: (c) => respondImage(c, admin, identifierOf(c.get("target").path.slice(viewFolder.length))),
  },
];

/** A form's `?identifier=` redirects to the image's page; without one, to the folders. */
function openNamed(c: RequestContext): Response {
  const named = new URLSearchParams(c.get("target").query).get("identifier")?.trim() ?? "";
  const path = named === "" ? "/admin/browse" : imagePath(checkIdentifier(named));
  return new Response(null, { status: 303, headers: { Location: href(c, path) } });
}

async function respondImage(c: RequestContext, admin: Admin, identifier: string): Promise<Response> {
  if (identifier === "") return openNamed(c);
  const { service } = admin;
  const address = imageAddress(mainPrefix[3], identifier);
  const measures = new URLSearchParams(c.get("target").query).get("measure") === "yes";
  const [[found], diagnosis] = await Promise.all([
    lookAtAll(service.images, [identifier], lookMs),
    diagnosisOf(service, identifier, measures, c.req.raw.signal),
  ]);
  const look: OperatorLook = found ?? { identifier, problem: slowSource() };
  const thumbnail = address + thumbnailOf(look.size);
  const gate = await decideForBrowser(c, service, identifier, thumbnail);
  const picture = imageAddress(pictureFolder, identifier);
  const isThere = look.problem?.kind !== "not-found";
  const props = { c, service, identifier, look, gate, address, thumbnail, picture };
  const body = (
    <>
      <Trail c={c} trail={trailOf(service.sources, locationOf(service.sources, identifier))} />
      {look.problem && (
        <Problem
          problem={look.problem}
          isThere={isThere}
          isSaid={diagnosis.findings.some(({ text }) => text === look.problem?.message)}
        />
      )}
      <Findings diagnosis={diagnosis} />
      <GateNotice {...props} />
      <Stage {...props} />
      <div class="facts">
        <Thumbnail {...props} />
        <Origin {...props} />
      </div>
      <Addresses {...props} />
      <Knowledge diagnosis={diagnosis} measured={measures} />
      {mayChange(c) && <Purge c={c} identifier={identifier} />}
    </>
  );
  return adminPage(
    c,
    admin,
    {
      title: nameOf(identifier),
      section: "images",
      body,
      styles: ["admin/browse.css", "page/zoom.css", "admin/image.css", "admin/diagnosis.css"],
      scripts: ["admin/copy.js"],
    },
    { status: isThere ? 200 : 404 },
  );
}

/** Longest wait for the image's header, in milliseconds. */
const lookMs = 5000;

/** Opening the page does not wait long for the diagnosis, unless a measurement was requested. */
const diagnosisMs = { looks: 5000, measures: 20_000 } as const;

const diagnosisOf = (service: Service, identifier: string, measures: boolean, signal: AbortSignal) =>
  diagnose(service.images, identifier, {
    measures,
    limitMs: measures ? diagnosisMs.measures : diagnosisMs.looks,
    signal,
  });

function Problem({
  problem: { message, code },
  isThere,
  isSaid,
}: {
  readonly problem: NonNullable<OperatorLook["problem"]>;
  readonly isThere: boolean;
  /** True if the doctor gives the same reason further down. */
  readonly isSaid: boolean;
}) {
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{isThere ? "No picture of this image can be served." : "There is no such image."}</strong>{" "}
        {isSaid ? "" : `${message} `}
        <span class="quiet">Code: {code}.</span>
      </p>
      <p>
        {isThere
          ? "If the file was replaced recently, purge the image below, so that it is read again."
          : "If it was added recently, its source may still have it cached as missing: purge it below."}
      </p>
    </div>
  );
}

function Addresses({ c, service, identifier, address, thumbnail }: ImageProps) {
  const base = c.get("base");
  const older = imageAddress(mainPrefix[2], identifier);
  const rows: readonly (readonly [string, string])[] = [
    ["Image information", `${base}${address}/info.json`],
    ["Full image", `${base}${address}/full/max/0/default.jpg`],
    ["Thumbnail", base + thumbnail],
    ["Image information, version 2", `${base}${older}/info.json`],
    ...(service.manifests
      ? ([
          ["Manifest", documentAddress(base, identifier)],
          ["Viewer", viewAddress(base, identifier)],
        ] as const)
      : []),
  ];
  return (
    <section aria-labelledby="addresses">
      <h2 id="addresses">Addresses</h2>
      <dl class="addresses">
        {rows.map(([name, url]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <a class="path" href={url}>
                {url}
              </a>
              <button type="button" class="plain copy" data-copy={url} aria-label={`Copy: ${name}`} hidden>
                Copy
              </button>
            </dd>
          </>
        ))}
      </dl>
      <p class="unseen" role="status" id="copied" />
    </section>
  );
}

function Origin({ service, identifier, look: { size } }: ImageProps) {
  const { source, key } = service.sources.resolve(identifier);
  const paged = splitPage(identifier);
  return (
    <section aria-labelledby="origin">
      <h2 id="origin">Where it comes from</h2>
      <dl>
        <dt>Identifier</dt>
        <dd class="path">{identifier}</dd>
        {size && (
          <>
            <dt>Size</dt>
            <dd>
              {size.width.toLocaleString("en")} × {size.height.toLocaleString("en")} pixels
            </dd>
          </>
        )}
        <dt>Source</dt>
        <dd>{service.hooks?.has("resolve") ? "as the hook says" : `${source.name} (${source.backend})`}</dd>
        {!service.hooks?.has("resolve") && (
          <>
            <dt>Key</dt>
            <dd class="path">{key}</dd>
          </>
        )}
        {paged && (
          <>
            <dt>Page</dt>
            <dd>
              {paged.page} of {paged.identifier}, unless a file has just this name
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Purge({ c, identifier }: Pick<ImageProps, "c" | "identifier">) {
  return (
    <section aria-labelledby="purge">
      <h2 id="purge">Purge</h2>
      <p>
        Removes everything cached of this image, so that the next request reads it again: derivatives of every
        size, its header, its sidecar, and the bytes read of it.
      </p>
      <form class="actions" method="post" action={href(c, "/admin/cache/purge-image")}>
        <input type="hidden" name="identifier" value={identifier} />
        <input type="hidden" name="from" value="view" />
        <button type="submit">Purge this image</button>
        <a class="button plain" href={href(c, "/admin/cache")}>
          All caches
        </a>
      </form>
    </section>
  );
}
