/** How every text is parsed, whatever it means: the library writes nothing to the terminal, and compares no key with all before it. */
export const QUIETLY = { logLevel: 'silent', prettyErrors: false, uniqueKeys: false } as const;

/** How the files of ours are parsed: scalars stay text. */
export const PARSING = { ...QUIETLY, schema: 'failsafe', logLevel: 'error' } as const;

/** The longest text that is read, characters. */
export const SIZE_MAX = 1024 * 1024;
