import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Maximum length of a checked pattern. A longer one could take seconds to compile, so only the service checks it. */
const PATTERN_LENGTH_MAX = 4000;

/** Returns the reason if RE2, the library of the service, would refuse the pattern. This module loads slowly. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > PATTERN_LENGTH_MAX) return undefined;
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return error.message.replace(/^error parsing regexp: /, '');
  }
}
