// Output formats by their names in requests (Image API 3.0 section 4.5, 2.1 alike), which the caller passes.

export type Formats = Readonly<Record<string, { readonly advertised: boolean }>>;
