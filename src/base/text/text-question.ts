// The question to a worker that reads long texts.

export interface TextQuestion {
  /** What the text is: a manifest file in YAML, or a mapping file in YAML. */
  readonly of: "manifest" | "mapping";
  readonly text: string;
}
