// The configuration file as the service and its pages see it; admin/editing reads and writes it.

import type { Finding } from "../../base/index.ts";
import type { Config } from "./schema.ts";

/** Form control of a value. */
export type Control =
  | { readonly kind: "text" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "count"; readonly minimum: number; readonly maximum?: number };

export interface EditableField {
  readonly section: string;
  readonly keys: readonly string[];
  /** The keys joined by dots: the name of the field in the form, and the path of its problems. */
  readonly path: string;
  readonly label: string;
  /** Description of the key in the configuration reference. */
  readonly help: string;
  readonly edit: "live" | "restart";
  /** Environment variable that overrides the file. */
  readonly env?: string;
  readonly control: Control;
  /** The value if the file has none. */
  readonly initial: string;
}

export interface FieldValue {
  readonly field: EditableField;
  /** The effective value: from the variable that locks the field, else from the file, else the default. */
  readonly value: string;
  /** Environment variable that sets this key, so that the file cannot. */
  readonly lockedBy?: string | undefined;
}

/** Applies the live keys of a configuration. Returns the keys that differ and wait for the next start. */
export type ApplyLive = (config: Config) => readonly string[];

/** The current state of the file. */
export interface ConfigFileView {
  /** Every editable key, even if nothing can be saved. */
  readonly fields: readonly FieldValue[];
  /** Problems of the file. */
  readonly problems: readonly Finding[];
  /** The configuration of the file as a start would use it; undefined if it has problems. */
  readonly config?: Config;
  /** Digest of the file's bytes; absent if it cannot be read. */
  readonly digest?: string;
  /** Why nothing can be saved, in words for the operator; absent if saving is possible. */
  readonly obstacle?: string;
}

export type Saved =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "saved";
      /** Paths of the changed keys. */
      readonly changed: readonly string[];
      /** All keys of the file that differ from the running values, and wait for the next start. */
      readonly waits: readonly string[];
      /** Why the saved file is not in effect, if it is not. */
      readonly notApplied?: string;
    }
  | {
      readonly kind: "refused";
      /** Faults of fields by path. */
      readonly wrong: ReadonlyMap<string, string>;
      readonly others: readonly Finding[];
    }
  /** The file has changed since the form was made. */
  | { readonly kind: "stale" }
  /** Nothing was written. */
  | { readonly kind: "failed"; readonly reason: string; readonly cause?: unknown };

/** What a save would do. */
export type Preview =
  /** `changed`: paths of the keys that would change. */
  { readonly kind: "changed"; readonly changed: readonly string[] } | Exclude<Saved, { kind: "saved" }>;

export interface ConfigFile {
  /** Absolute. */
  readonly path: string;
  /** Never rejects, and takes at most two seconds. */
  view(): Promise<ConfigFileView>;
  /** Checks the values of a form as `save` does, and writes nothing. Never rejects. */
  preview(values: ReadonlyMap<string, string>, digest: string | undefined): Promise<Preview>;
  /**
   * Writes the values of a form into the file and applies the live ones. `values`: typed values by the path
   * of each field. `digest`: the digest of the form's view; without it the file may have any content. Saves
   * wait for each other. Never rejects.
   */
  save(values: ReadonlyMap<string, string>, digest: string | undefined, take: ApplyLive): Promise<Saved>;
  /**
   * Reads the file again and applies its live keys. Rejects with an Error that lists the problems; nothing is
   * applied then.
   */
  reload(take: ApplyLive): Promise<readonly string[]>;
  /** Removes leftovers of saves that ended with their process. Never rejects. */
  sweep(): Promise<void>;
}
