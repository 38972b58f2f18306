// The size of what has two dimensions.

/** Width and height, in pixels except where a comment says otherwise. */
export interface Size {
  readonly width: number;
  readonly height: number;
}
