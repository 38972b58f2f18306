// The forms that purge an image, an entry or a slot, with the faults of their input.

import { imageAddress, mainPrefix } from "../../../iiif/image/mounts.ts";
import { purgeable } from "../../../images/purge.ts";
import type { Service } from "../../../service.ts";
import type { RequestContext } from "../../http/context.ts";
import { href } from "../admin.ts";
import type { SlotReading } from "./slots.tsx";

/** Input of a form, and what is wrong with it. */
export interface PurgeFault {
  readonly form: "image" | "entry" | "slot";
  readonly field: "identifier" | "cache" | "key";
  readonly message: string;
  readonly status: number;
  readonly entered: { readonly identifier?: string; readonly cache?: string; readonly key?: string };
}

interface FormProps {
  readonly c: RequestContext;
  readonly fault: PurgeFault | undefined;
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
        Removes all that is kept of one image: answers of every size and version, what is known of it, its
        index, and the bytes that were read of it. Use it when a master has changed and old answers still
        come.
      </p>
      <form class="fields" method="post" action={href(c, "/admin/cache/purge-image")}>
        <div class="field">
          <label for="identifier">Identifier</label>
          <input
            id="identifier"
            name="identifier"
            required
            autocomplete="off"
            spellcheck={false}
            value={own?.entered.identifier ?? ""}
            {...marks("identifier-wrong", "identifier-hint", own?.message)}
          />
          <Wrong id="identifier-wrong" message={own?.message} />
          <p class="quiet" id="identifier-hint">
            As it is, not encoded for an address: <code>maps/sheet 1.tif</code>. All pages of a file go
            together.
          </p>
        </div>
        <div class="actions">
          <button type="submit">Purge image</button>
        </div>
      </form>
    </section>
  );
}

/** Purges one entry by its key, with the form of keys in each slot. */
export function PurgeEntry({ c, service, fault }: FormProps & { readonly service: Service }) {
  const own = fault?.form === "entry" ? fault : undefined;
  const wrongIn = (field: PurgeFault["field"]) => (own?.field === field ? own.message : undefined);
  const source = service.sources.default;
  const example = imageAddress(mainPrefix[3], `${source.prefix}a.tif`);
  return (
    <section aria-labelledby="purge-entry">
      <h2 id="purge-entry">Purge one entry</h2>
      <form class="fields" method="post" action={href(c, "/admin/cache/purge")}>
        <div class="field">
          <label for="entry-cache">Cache</label>
          <select id="entry-cache" name="cache" {...marks("entry-cache-wrong", undefined, wrongIn("cache"))}>
            {purgeable.map((name) => (
              <option value={name} selected={own?.entered.cache === name}>
                {name}
              </option>
            ))}
          </select>
          <Wrong id="entry-cache-wrong" message={wrongIn("cache")} />
        </div>
        <div class="field">
          <label for="key">Key</label>
          <input
            id="key"
            name="key"
            required
            autocomplete="off"
            spellcheck={false}
            value={own?.entered.key ?? ""}
            {...marks("key-wrong", "key-forms", wrongIn("key"))}
          />
          <Wrong id="key-wrong" message={wrongIn("key")} />
        </div>
        <dl class="quiet" id="key-forms">
          <dt>render</dt>
          <dd>
            The path of an image request: <code>{example}/full/max/0/default.jpg</code>. For what readers of a
            gated image got, with <code>|v1|full</code> behind it, or <code>|v1|substitute</code> for lesser
            pictures.
          </dd>
          <dt>info</dt>
          <dd>
            Host and path of an info.json:{" "}
            <code>
              {new URL(c.get("base")).host}
              {example}/info.json
            </code>
            , for gated ones with <code>|v1|full</code> behind it. All that is known of its master goes with
            it.
          </dd>
          <dt>origin</dt>
          <dd>
            The name of a source, a colon and an identifier: <code>{source.name}:a.tif</code>. All that is
            kept of that master goes.
          </dd>
        </dl>
        <div class="actions">
          <button type="submit">Purge entry</button>
        </div>
      </form>
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
        Removes every entry of one cache, for all servers that share it. Nothing is lost: answers are made
        again when they are asked for, which is slower and reads the masters.
      </p>
      <form class="fields" method="post" action={href(c, "/admin/cache/purge-all")} data-confirm="empty">
        <div class="field">
          <label for="slot-cache">Cache</label>
          <select id="slot-cache" name="cache" {...marks("slot-cache-wrong", undefined, own?.message)}>
            {readings.map(({ slot, usage }) => (
              <option
                value={slot.name}
                disabled={!slot.clear}
                selected={own?.entered.cache === slot.name}
                data-entries={usage?.entries.toLocaleString("en")}
              >
                {slot.name}
                {slot.clear ? "" : " (cannot be emptied as a whole)"}
              </option>
            ))}
          </select>
          <Wrong id="slot-cache-wrong" message={own?.message} />
        </div>
        <p class="confirm">
          <label>
            <input type="checkbox" required /> Yes, remove all its entries
          </label>
        </p>
        <div class="actions">
          <button type="submit" class="danger">
            Empty cache
          </button>
        </div>
      </form>
      <dialog id="empty" aria-labelledby="empty-title">
        <form method="dialog">
          <h2 id="empty-title">Empty this cache?</h2>
          <p>
            <span data-about></span> Answers are made again when they are asked for.
          </p>
          <div class="actions">
            <button type="submit" value="cancel">
              Cancel
            </button>
            <button type="submit" value="empty" class="danger">
              Empty it
            </button>
          </div>
        </form>
      </dialog>
    </section>
  );
}
