import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Longer patterns could take seconds to compile, so only the service checks them. */
const PATTERN_LENGTH_MAX = 4000;

/** Why the service's library, RE2, would refuse the pattern. Undefined for a valid one. Slow to load. */
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
