// The forms that purge an image, a folder, an entry or a slot, with the faults of their input.

import type { Child } from "hono/jsx";
import { imageAddress, mainPrefix } from "../../iiif/index.ts";
import { type RequestContext, type Service, type SlotName, slotNames } from "../../server/index.ts";
import { href } from "../admin.ts";
import { refusalNotice } from "../frame.tsx";
import { entryCount, type SlotReading } from "./slots.tsx";

/** Input of a form, and what is wrong with it. */
export interface PurgeFault {
  readonly form: "image" | "folder" | "entry" | "slot";
  readonly field: "identifier" | "folder" | "cache" | "key";
  readonly message: string;
  readonly status: number;
  readonly entered: {
    readonly identifier?: string;
    readonly folder?: string;
    readonly cache?: string;
    readonly key?: string;
  };
}

interface FormProps {
  readonly c: RequestContext;
  readonly fault: PurgeFault | undefined;
}

const labels: Readonly<Record<PurgeFault["field"], string>> = {
  identifier: "Identifier",
  folder: "Folder",
  cache: "Cache",
  key: "Key",
};

/** Says at the top of the page what is wrong, with a link to the field. */
export function RefusedPurge({ fault: { form, field, message, status } }: { readonly fault: PurgeFault }) {
  return (
    <div {...refusalNotice("refused")}>
      <p>{status === 422 ? "Nothing was purged. Correct this:" : "The purge failed:"}</p>
      <ul>
        <li>
          <a href={`#${field === "cache" ? `${form}-cache` : field}`}>{labels[field]}</a>: {message}
        </li>
      </ul>
    </div>
  );
}

/** The message of a field, which the field refers to as its description. */
function Wrong({ id, message }: { readonly id: string; readonly message: string | undefined }) {
  return message === undefined ? null : (
    <p class="wrong" id={id}>
      {message}
    </p>
  );
}

/** Returns attributes of a faulty field. */
const marks = (id: string, hint: string | undefined, message: string | undefined) => {
  const described = [...(message === undefined ? [] : [id]), ...(hint === undefined ? [] : [hint])].join(" ");
  return {
    ...(message !== undefined && { "aria-invalid": "true" as const }),
    ...(described && { "aria-describedby": described }),
  };
};

/** Purges everything cached for one image. */
export function PurgeImage({ c, fault }: FormProps) {
  const own = fault?.form === "image" ? fault : undefined;
  return (
    <section aria-labelledby="purge-image">
      <h2 id="purge-image">Purge an image</h2>
      <p>
        Removes everything cached of one image: derivatives of every size, its header, its sidecar, and the
        bytes read of it. Use it if a master has changed and readers still get the old picture.
      </p>
      <form class="fields" method="post" action={href(c, "/admin/cache/purge-image")}>
        <EntryField
          name="identifier"
          label="Identifier"
          hint="identifier-hint"
          value={own?.entered.identifier}
          wrong={own?.message}
        >
          <p class="quiet" id="identifier-hint">
            As it is, not encoded for an address: <code>maps/sheet 1.tif</code>. All pages of the file are
            purged with it.
          </p>
        </EntryField>
        <div class="actions">
          <button type="submit">Purge image</button>
        </div>
      </form>
    </section>
  );
}

/** Purges all images of a folder, after a confirmation. */
export function PurgeFolder({ c, fault }: FormProps) {
  const own = fault?.form === "folder" ? fault : undefined;
  return (
    <section aria-labelledby="purge-folder">
      <h2 id="purge-folder">Purge a folder</h2>
      <p>Does the same for all images of a folder and of the folders below it.</p>
      <form
        class="fields"
        method="post"
        action={href(c, "/admin/cache/purge-folder")}
        data-confirm="confirm-folder"
      >
        <EntryField
          name="folder"
          label="Folder"
          hint="folder-hint"
          value={own?.entered.folder}
          wrong={own?.message}
        >
          <p class="quiet" id="folder-hint">
            The beginning of the identifiers, such as <code>maps/sheets</code>. A large folder takes minutes.
          </p>
        </EntryField>
        <Confirmed text="Yes, purge the whole folder" />
        <div class="actions">
          <button type="submit" class="danger">
            Purge folder
          </button>
        </div>
      </form>
      <Confirmation
        id="confirm-folder"
        title="Purge this folder?"
        about="All images whose identifiers begin with {}/ lose their cached entries."
        act="Purge it"
      />
    </section>
  );
}

/** A box to tick, which the script replaces by a dialog. */
const Confirmed = ({ text }: { readonly text: string }) => (
  <p class="confirm">
    <label>
      <input type="checkbox" required /> {text}
    </label>
  </p>
);

/** A field that has to be filled in. `hint`: id of what describes it, which `children` may be. */
const EntryField = ({
  name,
  label,
  hint,
  value,
  wrong,
  children,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly value: string | undefined;
  readonly wrong: string | undefined;
  readonly children?: Child;
}) => (
  <div class="field">
    <label for={name}>{label}</label>
    <input
      id={name}
      name={name}
      required
      autocomplete="off"
      spellcheck={false}
      value={value ?? ""}
      {...marks(`${name}-wrong`, hint, wrong)}
    />
    <Wrong id={`${name}-wrong`} message={wrong} />
    {children}
  </div>
);

/** The dialog before a purge. `about`: what it removes, with `{}` for what was entered. */
const Confirmation = ({
  id,
  title,
  about,
  act,
}: {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly act: string;
}) => (
  <dialog id={id} aria-labelledby={`${id}-title`}>
    <form method="dialog">
      <h2 id={`${id}-title`}>{title}</h2>
      <p>
        <span data-about={about}></span> Derivatives are rendered again when they are requested.
      </p>
      <div class="actions">
        <button type="submit" value="cancel">
          Cancel
        </button>
        <button type="submit" value="confirmed" class="danger">
          {act}
        </button>
      </div>
    </form>
  </dialog>
);

/** What a key of a slot looks like. `source`: name of a source; `example`: path of one of its images. */
const keyForms: Readonly<Record<SlotName, (c: RequestContext, source: string, example: string) => unknown>> =
  {
    render: (_, _source, example) => (
      <>
        The path of an image request: <code>{example}/full/max/0/default.jpg</code>. For a gated image, add{" "}
        <code>|v1|full</code> for what readers with access get, or <code>|v1|substitute</code> for the reduced
        picture.
      </>
    ),
    info: (c, _source, example) => (
      <>
        Host and path of an info.json:{" "}
        <code>
          {new URL(c.get("base")).host}
          {example}/info.json
        </code>
        . This removes everything known about the header of its master.
      </>
    ),
    origin: (_, source) => (
      <>
        The name of a source, a colon and an identifier: <code>{source}:a.tif</code>. This removes the bytes
        and the sidecar of that master.
      </>
    ),
    text: () => (
      <>Its entries have no keys, since an index holds the words of many pages. Purge the whole cache.</>
    ),
    changes: () => (
      <>
        Its entries have no keys, since each depends on those before. After a purge, the stream begins again.
      </>
    ),
  };

/** Purges one entry by its key, with the form of keys in each slot. */
export function PurgeEntry({ c, service, fault }: FormProps & { readonly service: Service }) {
  const own = fault?.form === "entry" ? fault : undefined;
  const wrongIn = (field: PurgeFault["field"]) => (own?.field === field ? own.message : undefined);
  const source = service.sources.default;
  const example = imageAddress(mainPrefix[3], `${source.prefix}a.tif`);
  return (
    <section aria-labelledby="purge-entry">
      <h2 id="purge-entry">Purge one entry</h2>
      <details open={own !== undefined}>
        <summary>By its key, for experts</summary>
        <form class="fields" method="post" action={href(c, "/admin/cache/purge")}>
          <div class="field">
            <label for="entry-cache">Cache</label>
            <select
              id="entry-cache"
              name="cache"
              {...marks("entry-cache-wrong", undefined, wrongIn("cache"))}
            >
              {slotNames.map((name) => (
                <option value={name} selected={own?.entered.cache === name}>
                  {name}
                </option>
              ))}
            </select>
            <Wrong id="entry-cache-wrong" message={wrongIn("cache")} />
          </div>
          <EntryField
            name="key"
            label="Key"
            hint="key-forms"
            value={own?.entered.key}
            wrong={wrongIn("key")}
          />
          <dl class="quiet" id="key-forms">
            {slotNames.map((name) => (
              <>
                <dt>{name}</dt>
                <dd>{keyForms[name](c, source.name, example)}</dd>
              </>
            ))}
          </dl>
          <div class="actions">
            <button type="submit">Purge entry</button>
          </div>
        </form>
      </details>
    </section>
  );
}

/** Purges a whole slot, after a confirmation. */
export function PurgeSlot({ c, readings, fault }: FormProps & { readonly readings: readonly SlotReading[] }) {
  const own = fault?.form === "slot" ? fault : undefined;
  return (
    <section aria-labelledby="purge-slot">
      <h2 id="purge-slot">Empty a cache</h2>
      <p>
        Removes every entry of one cache, for all servers that share it. Nothing is lost, but responses are
        slower until the cache has filled again.
      </p>
      <form
        class="fields"
        method="post"
        action={href(c, "/admin/cache/purge-all")}
        data-confirm="confirm-slot"
      >
        <div class="field">
          <label for="slot-cache">Cache</label>
          <select id="slot-cache" name="cache" {...marks("slot-cache-wrong", undefined, own?.message)}>
            {readings.map(({ slot, usage }) => (
              <option
                value={slot.name}
                disabled={!slot.clear}
                selected={own?.entered.cache === slot.name}
                data-about={`${slot.name} loses ${usage ? entryCount(usage.entries) : "all its entries"}`}
              >
                {slot.name}
                {slot.clear ? "" : " (cannot be emptied as a whole)"}
              </option>
            ))}
          </select>
          <Wrong id="slot-cache-wrong" message={own?.message} />
        </div>
        <Confirmed text="Yes, remove all its entries" />
        <div class="actions">
          <button type="submit" class="danger">
            Empty cache
          </button>
        </div>
      </form>
      <Confirmation id="confirm-slot" title="Empty this cache?" about="The cache {}." act="Empty it" />
    </section>
  );
}
