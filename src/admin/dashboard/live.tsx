// Elements that show one value of a dashboard frame each: rendered by the server, and marked so that
// dashboard.js can update their texts.

import type { Child } from "hono/jsx";
import type { Frame } from "../../server/index.ts";
import { textAt, type ValueForm, valueAt } from "./figures.ts";

/** Path of a value in the frame, and its format. */
export interface ValueDisplay {
  readonly of: string;
  readonly form: ValueForm;
}

/** Attributes that let the script find an element whose text is a value. */
export const liveAttributes = ({ of, form }: ValueDisplay) => ({ "data-of": of, "data-form": form });

/** Returns the elements of a frame. */
export function liveElements(frame: Frame) {
  const text = ({ of, form }: ValueDisplay) => textAt(frame, of, form);
  const maxLength = Math.max(...frame.stages.map(({ p95Ms }) => p95Ms ?? 0)) || 1;
  return {
    text,
    Figure: (shown: ValueDisplay & { readonly class?: string }) => (
      <span class={shown.class} {...liveAttributes(shown)}>
        {text(shown)}
      </span>
    ),
    /** `label`: heading of its column, which narrow screens show before the number. */
    NumberCell: ({ label, ...shown }: ValueDisplay & { readonly label?: string }) => (
      <td class="number" data-label={label}>
        <span {...liveAttributes(shown)}>{text(shown)}</span>
      </td>
    ),
    /** Shows how long ago a moment was, with the moment itself as its title. */
    Ago({ of }: { readonly of: string }) {
      const at = valueAt(frame, of);
      const moment = at === undefined ? undefined : new Date(Number(at)).toISOString();
      const shown = { of, form: "ago" } as const;
      return (
        <time datetime={moment} title={moment} {...liveAttributes(shown)}>
          {text(shown)}
        </time>
      );
    },
    /** Shows whether something can be used, in text and colour. */
    Health({ of }: { readonly of: string }) {
      const shown = { of, form: "healthy" } as const;
      return (
        <span class="pill" data-state={String(valueAt(frame, of))} {...liveAttributes(shown)}>
          {text(shown)}
        </span>
      );
    },
    /** A bar for the duration of a stage of renders, scaled to the longest. */
    Bar: ({ of, kind }: { readonly of: string; readonly kind: "median" | "p95" }) => (
      <rect
        class={kind}
        data-bar={of}
        width={`${(100 * Number(valueAt(frame, of) ?? 0)) / maxLength}%`}
        height="100%"
      />
    ),
    /** Attributes of elements that are shown only while a value exists. */
    onlyWith: (of: string) => ({ "data-row": of, hidden: valueAt(frame, of) === undefined }),
  } as const;
}

export type LiveElements = ReturnType<typeof liveElements>;

/**
 * A table that may be wider than the page and then scrolls on its own, also by keyboard. `label`: id of its
 * heading; `head`: its first row.
 */
export const Table = ({ label, tall, few, head, children }: TableFacts) => (
  <section class={tall ? "scroll tall" : "scroll"} aria-labelledby={label} tabindex={0}>
    <table class={few ? "grid" : "grid stack"} aria-labelledby={label}>
      <thead>
        <tr>{head}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

interface TableFacts {
  readonly label: string;
  readonly tall?: boolean;
  /** True if its columns fit on a narrow screen; otherwise rows become lists of cells there. */
  readonly few?: boolean;
  readonly head: Child;
  readonly children?: Child;
}

/** Column headings. */
export const Columns = ({ names }: { readonly names: readonly string[] }) => (
  <>
    {names.map((name) => (
      <th scope="col">{name}</th>
    ))}
  </>
);

export const NumberColumns = ({ names }: { readonly names: readonly string[] }) => (
  <>
    {names.map((name) => (
      <th scope="col" class="number">
        {name}
      </th>
    ))}
  </>
);
