// The questions to a worker that reads long texts.

export type TextQuestion =
  | {
      /** What the text is: a manifest file in YAML, or a mapping file in YAML. */
      readonly of: "manifest" | "mapping";
      readonly text: string;
    }
  | {
      /** A file of the text of pages. */
      readonly of: "pages";
      /** As operators know it, for messages. */
      readonly name: string;
      readonly bytes: Uint8Array;
    }
  | {
      /** Records of pages, of which a segment of the index of words is built. */
      readonly of: "segment";
      readonly pages: readonly { readonly key: string; readonly record: Uint8Array }[];
      readonly name: string;
      readonly className: string;
    };
