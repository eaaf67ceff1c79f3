/** How every text is parsed: scalars stay text, and the library writes nothing to the terminal. */
export const PARSING = { schema: 'failsafe', prettyErrors: false, logLevel: 'error' } as const;

/** The longest text that is read, characters. */
export const SIZE_MAX = 1024 * 1024;
