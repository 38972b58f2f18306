// The form of the page /admin/config.

import {
  type ConfigFileView,
  type EditableField,
  type FieldValue,
  isObject,
  type Preview,
  type RequestContext,
} from "../../server/index.ts";
import { href } from "../admin.ts";
import { lockedText } from "../editing/edit.ts";
import { mayChange } from "../posts.ts";

/** A submitted form that was not saved, or not yet: `changed`. */
export interface Attempt {
  /** Typed values by the path of each field. */
  readonly values: ReadonlyMap<string, string>;
  /** Values that the form was made with, likewise; empty if it does not say. */
  readonly before: ReadonlyMap<string, string>;
  readonly result: Extract<Preview, { kind: "changed" | "refused" | "stale" | "failed" }>;
}

/** Form field that identifies the file that a form was made from. */
export const digestField = "digest";

/** Form field with the values of the file that a form was made from, as JSON. */
export const beforeField = "before";

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
      <MadeFrom view={view} />
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
      {mayChange(c) && (
        <div class="actions">
          <button type="submit" disabled={disabled} name={stepField} value="review">
            Review changes
          </button>
        </div>
      )}
    </form>
  );
}

/** The file that a form is made from. */
export function MadeFrom({ view: { digest, fields } }: { readonly view: ConfigFileView }) {
  if (digest === undefined) return null;
  const values = Object.fromEntries(fields.map(({ field, value }) => [field.path, value]));
  return (
    <>
      <input type="hidden" name={digestField} value={digest} />
      <input type="hidden" name={beforeField} value={JSON.stringify(values)} />
    </>
  );
}

/** Returns the values in {@link beforeField}; none for anything that no form of this page contains. */
export function readBefore(text: string | undefined): Map<string, string> {
  try {
    const values: unknown = JSON.parse(text ?? "");
    return new Map(isObject(values) ? Object.entries(values).filter(isText) : []);
  } catch {
    return new Map();
  }
}

const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === "string";

interface FieldProps extends FieldValue {
  readonly attempt?: Attempt | undefined;
  readonly running?: string | undefined;
  readonly disabled: boolean;
}

function Field({ field, value, lockedBy, attempt, running, disabled }: FieldProps) {
  const id = idOf(field);
  const typed = lockedBy === undefined ? attempt?.values.get(field.path) : undefined;
  const wrong = attempt?.result.kind === "refused" ? attempt.result.wrong.get(field.path) : undefined;
  const before = attempt?.before.get(field.path);
  const notes = notesOf({ field, value, lockedBy, typed, before, running });
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
        {`: ${removeMarks(field.help)} Default: ${withUnit(field, field.initial)}.`}
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
  /** The value when the form was made. */
  readonly before: string | undefined;
  readonly running: string | undefined;
}

/** Returns the notes on a field that depend on the file and on the running configuration. */
function notesOf({ field, value, lockedBy, typed, before, running }: FieldNotes): string[] {
  const text = withUnit(field, value);
  const isTyped = typed !== undefined && typed !== value;
  const isTheirs = before !== undefined && before !== value;
  return [
    ...(lockedBy === undefined ? [] : [`This field ${lockedText(lockedBy)}.`]),
    ...(isTyped ? [`${isTheirs ? "Meanwhile in the file" : "In the file"}: ${text}.`] : []),
    ...(!isTyped && value !== field.initial && text !== value ? [`Set to ${text}.`] : []),
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
const removeMarks = (help: string) => help.replaceAll("`", "");
