export const suites: readonly { readonly name: string; readonly config: string; readonly tests: RegExp }[];
export const without: readonly { readonly files: string; readonly names: string }[];
