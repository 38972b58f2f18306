// Names of languages in documents (Presentation 3.0, section 4).

/** True for the form of a language tag, such as en or de-CH, and for `none`. */
export const isLanguage = (key: string): boolean => /^(none|[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*)$/.test(key);
