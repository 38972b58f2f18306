// The form of the page /admin/config.

import { type FieldValue, lockedText } from "../../../config/editing/edit.ts";
import type { EditableField } from "../../../config/editing/editable.ts";
import type { ConfigFileView, Preview } from "../../../config/editing/file.ts";
import type { RequestContext } from "../../http/context.ts";
import { href } from "../admin.ts";

/** A submitted form that was not saved, or not yet: `changed`. */
export interface Attempt {
  /** Typed values by the path of each field. */
  readonly values: ReadonlyMap<string, string>;
  readonly result: Extract<Preview, { kind: "changed" | "refused" | "stale" | "failed" }>;
}

/** Form field that says whether to show the changes (`review`) or to save them. */
export const stepField = "step";

interface FormProps {
  readonly c: RequestContext;
  readonly view: ConfigFileView;
  readonly attempt?: Attempt | undefined;
  /** Values in effect in this process, by the path of each field. */
  readonly running: ReadonlyMap<string, string>;
}

/** A field for each editable key, with its faults, when it takes effect, and what sets it. */
export function Form({ c, view, attempt, running }: FormProps) {
  const disabled = view.obstacle !== undefined;
  const sections = [...new Set(view.fields.map(({ field }) => field.section))];
  return (
    <form
      class="fields"
      method="post"
      action={href(c, "/admin/config")}
      novalidate
      autocomplete="off"
      aria-describedby={disabled ? "obstacle" : undefined}
    >
      {view.digest !== undefined && <input type="hidden" name="digest" value={view.digest} />}
      {sections.map((section) => (
        <fieldset>
          <legend>{section}</legend>
          {view.fields
            .filter(({ field }) => field.section === section)
            .map((each) => (
              <Field {...each} attempt={attempt} running={running.get(each.field.path)} disabled={disabled} />
            ))}
        </fieldset>
      ))}
      <div class="actions">
        <button type="submit" disabled={disabled} name={stepField} value="review">
          Review changes
        </button>
      </div>
    </form>
  );
}

interface FieldProps extends FieldValue {
  readonly attempt?: Attempt | undefined;
  readonly running?: string | undefined;
  readonly disabled: boolean;
}

function Field({ field, value, lockedBy, attempt, running, disabled }: FieldProps) {
  const id = idOf(field);
  const typed = lockedBy === undefined ? attempt?.values.get(field.path) : undefined;
  const wrong = attempt?.result.kind === "refused" ? attempt.result.wrong.get(field.path) : undefined;
  const notes = notesOf({ field, value, lockedBy, typed, running });
  const described = [
    ...(wrong === undefined ? [] : [`${id}-wrong`]),
    `${id}-when`,
    `${id}-help`,
    ...(notes.length > 0 ? [`${id}-notes`] : []),
  ];
  return (
    <div class="field">
      <div class="about">
        <label for={id}>{field.label}</label>
        <When field={field} lockedBy={lockedBy} />
      </div>
      <Input
        field={field}
        value={typed ?? value}
        disabled={disabled || lockedBy !== undefined}
        attributes={{
          "aria-describedby": described.join(" "),
          ...(wrong !== undefined && { "aria-invalid": "true" }),
        }}
      />
      {wrong !== undefined && (
        <p class="wrong" id={`${id}-wrong`}>
          {wrong}
        </p>
      )}
      <p class="quiet" id={`${id}-help`}>
        <span class="path">{field.path}</span>
        {`: ${plain(field.help)} Default: ${withUnit(field, field.initial)}.`}
      </p>
      {notes.length > 0 && (
        <p class="quiet" id={`${id}-notes`}>
          {notes.join(" ")}
        </p>
      )}
    </div>
  );
}

/** When a change of a field takes effect, or what overrides it. */
function When({ field, lockedBy }: { readonly field: EditableField; readonly lockedBy: string | undefined }) {
  const id = `${idOf(field)}-when`;
  if (lockedBy !== undefined)
    return (
      <span class="pill warn" id={id}>
        locked by {lockedBy}
      </span>
    );
  return field.edit === "live" ? (
    <span class="pill good" id={id}>
      live
    </span>
  ) : (
    <span class="pill quiet" id={id}>
      at restart
    </span>
  );
}

interface FieldNotes extends FieldValue {
  readonly typed: string | undefined;
  readonly running: string | undefined;
}

/** Returns the notes on a field that depend on the file and on the running configuration. */
function notesOf({ field, value, lockedBy, typed, running }: FieldNotes): string[] {
  return [
    ...(lockedBy === undefined ? [] : [`This field ${lockedText(lockedBy)}.`]),
    ...(typed !== undefined && typed !== value ? [`In the file: ${value}.`] : []),
    ...(running !== undefined && running !== value ? [`In force now: ${withUnit(field, running)}.`] : []),
  ];
}

interface InputProps {
  readonly field: EditableField;
  readonly value: string;
  readonly disabled: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

function Input({ field, value, disabled, attributes }: InputProps) {
  const { control, path } = field;
  const common = { id: idOf(field), name: path, disabled, ...attributes };
  if (control.kind !== "choice")
    return (
      <input
        {...common}
        type="text"
        value={value}
        inputmode={control.kind === "count" ? "numeric" : undefined}
        spellcheck={false}
      />
    );
  // A file or a form may hold another word, which stays visible until it is corrected.
  const words = control.choices.includes(value) ? control.choices : [value, ...control.choices];
  return (
    <select {...common}>
      {words.map((word) => (
        <option value={word} selected={word === value}>
          {word}
        </option>
      ))}
    </select>
  );
}

/** Returns a value with its meaning, such as `1000000000 (1,000 megapixels)`. */
export function withUnit({ control, path }: EditableField, value: string): string {
  const number = Number(value);
  if (control.kind !== "count" || !(number > 0)) return value;
  const text = (each: number) => each.toLocaleString("en", { maximumFractionDigits: 1 });
  if (path.endsWith("_area")) return `${value} (${text(number / 1e6)} megapixels)`;
  return /_(?:width|height|size)$/.test(path) ? `${text(number)} px` : text(number);
}

/** Returns the id of a field's control in the page. */
export const idOf = ({ path }: EditableField) => `field-${path.replaceAll(".", "-")}`;

/** Returns a doc line of the schema without code marks. */
const plain = (help: string) => help.replaceAll("`", "");
