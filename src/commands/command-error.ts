// A mistake of the operator on the command line or in a file that it names.

/** A mistake of the operator: one line and exit code 1. */
export class CommandError extends Error {}
