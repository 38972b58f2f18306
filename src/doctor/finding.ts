// What the doctor of logins looks at, step by step, and what is wrong with one.

import type { Finding } from "../lib/finding.ts";

/** The steps of a login, in the order in which a viewer takes them. */
export const steps = [
  "address",
  "settings",
  "probe",
  "info.json",
  "image",
  "login",
  "cookie",
  "token",
  "access",
  "logout",
  "clock",
] as const;
export type StepName = (typeof steps)[number];

/** What is wrong: a problem whose step is not said yet. */
export type Fault = Required<Pick<Finding, "code" | "text" | "expected" | "advice">>;

/** A fault after which the rest of a step means nothing. */
export class StepFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault.text, options);
    this.fault = fault;
  }
}

/** A value of an answer as it may be shown: short. */
export const shown = (value: string): string => (value.length > 160 ? `${value.slice(0, 160)}…` : value);
