// Types of vulnerabilities.mjs, for the tests.

export interface Vulnerability {
  readonly ids: readonly string[];
  readonly part: readonly [name: string, version: string];
  readonly state: string;
  readonly justification?: string;
  readonly response?: readonly string[];
  readonly detail: string;
}

export const vulnerabilities: readonly Vulnerability[];
