// The steps of the login doctor, and their faults.

import type { Finding } from "../../base/index.ts";

/** The steps of a login, in a viewer's order. */
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

/** A problem without its step. */
export type Fault = Required<Pick<Finding, "code" | "text" | "expected" | "advice">>;

/** A fault that makes the rest of a step meaningless. */
export class StepFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault.text, options);
    this.fault = fault;
  }
}

/** Shortens a value of a response for display. */
export const shorten = (value: string): string => (value.length > 160 ? `${value.slice(0, 160)}…` : value);
