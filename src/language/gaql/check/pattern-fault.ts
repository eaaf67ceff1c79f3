import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Longer patterns are not checked, because compiling could take seconds. */
const PATTERN_LENGTH_MAX = 4000;

/** Returns the reason if the service's library RE2 would refuse the pattern. */
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
