import { CONDITION_CODES } from './condition-codes.ts';
import { DATE_CODES } from './date-codes.ts';
import type { Explanation } from './explanation.ts';
import { FIELD_CODES } from './field-codes.ts';
import { SYNTAX_CODES } from './syntax-codes.ts';
import { TABLE_CODES } from './table-codes.ts';

const BY_SUBJECT = {
  'How a query is written': SYNTAX_CODES,
  'What can be asked of a resource': FIELD_CODES,
  'What a field can be compared with': CONDITION_CODES,
  'Which days are asked for': DATE_CODES,
  'The file and its table': TABLE_CODES,
};

/** Every code a query file can get: the service's own name for the error where it has one. */
export type DiagnosticCode =
  | keyof typeof SYNTAX_CODES
  | keyof typeof FIELD_CODES
  | keyof typeof CONDITION_CODES
  | keyof typeof DATE_CODES
  | keyof typeof TABLE_CODES;

/** The codes with their explanations, by subject. */
export const CODES_BY_SUBJECT: readonly {
  readonly subject: string;
  readonly codes: readonly (readonly [string, Explanation])[];
}[] = Object.entries(BY_SUBJECT).map(([subject, codes]) => ({ subject, codes: Object.entries<Explanation>(codes) }));

/** Every code there is. */
export const CODES: ReadonlyMap<string, Explanation> = new Map(CODES_BY_SUBJECT.flatMap(({ codes }) => codes));
