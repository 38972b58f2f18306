// Types of problems.mjs, for the tests.

export function releaseProblems(root: string, options?: { readonly tagged?: boolean }): string[];
