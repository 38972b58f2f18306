// Names of readers that come from elsewhere: a page of the operator's, or a provider.

/** UTF-16 units of a name. */
const mostLength = 256;

/** Control characters, lone surrogates, what stands for bytes that were no text, and what reverses the text around it. */
const unusable = /[\p{Cc}\p{Cs}\u2028\u2029\ufffd\u202a-\u202e\u2066-\u2069]/u;

/** Whether a name can be kept and shown. */
export const isUserName = (text: string): boolean =>
  text !== "" && text.length <= mostLength && !unusable.test(text);
