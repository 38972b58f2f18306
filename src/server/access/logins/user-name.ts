// Checks names of readers from external logins: an operator's page, or a provider.

/** Maximum UTF-16 units of a name. */
const maxLength = 256;

/**
 * Control characters, lone surrogates, the replacement character for bytes that were no text, and characters
 * that change the direction of text.
 */
const unusable = /[\p{Cc}\p{Cs}\u2028\u2029\ufffd\u202a-\u202e\u2066-\u2069]/u;

/** True if a name can be stored and shown. */
export const isUserName = (text: string): boolean =>
  text !== "" && text.length <= maxLength && !unusable.test(text);
