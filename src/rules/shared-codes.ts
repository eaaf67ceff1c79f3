import type { DiagnosticCode } from '../gaql/codes/codes.ts';
import type { Explanation } from '../gaql/codes/explanation.ts';

const EXPLANATIONS = {
  UNEXPECTED_INPUT: {
    meaning:
      'A word stands where another one belongs. A condition compares values, joined with AND, OR and NOT; a window follows its metric.',
    wrong: 'when: clicks last 7 days > 30',
    right: 'when: clicks over 7 days > 30',
    of: 'rule',
  },
  UNEXPECTED_END_OF_QUERY: {
    meaning: 'The condition, value or change ends before it is whole: a side or a closing parenthesis is missing.',
    wrong: 'when: clicks > 30 AND (cost > 5',
    right: 'when: clicks > 30 AND (cost > 5)',
    of: 'rule',
  },
  STRING_NOT_TERMINATED: {
    meaning: 'A text has no closing quote on its line.',
    wrong: "where: campaign_name = 'Brand",
    right: "where: campaign_name = 'Brand'",
    of: 'rule',
  },
  BAD_SYMBOL: {
    meaning: 'A character that has no meaning in a condition: signs of print and of currencies, semicolons, points.',
    wrong: 'when: clicks ≥ 30',
    right: 'when: clicks >= 30',
    of: 'rule',
  },
  BAD_VALUE: {
    meaning: 'The value of a key is not written as the key needs it; the message says what is expected.',
    wrong: 'over: last 7 days',
    right: 'over: 7 days',
    of: 'rule',
  },
  OPERATOR_FIELD_MISMATCH: {
    meaning:
      'The two sides do not fit: text beside a number, an amount of money beside a count, or a value in the place of a condition.',
    wrong: 'when: cost > clicks',
    right: 'when: cost / clicks > 0.5 * average_cpc over 30 days',
    of: 'rule',
  },
  UNRECOGNIZED_FIELD: {
    meaning: 'The table has no column of this name; pacekeeper check --schema prints its columns.',
    wrong: 'when: clickz > 30',
    right: 'when: clicks > 30',
    of: 'rule',
  },
  BAD_ENUM_CONSTANT: {
    meaning: 'The column holds constants of the service, in capitals, and this is none of them.',
    wrong: "where: campaign_status = 'enabled'",
    right: "where: campaign_status = 'ENABLED'",
    of: 'rule',
  },
} as const satisfies Partial<Record<DiagnosticCode, Explanation>>;

/** What the codes of queries mean in a rule, where rules get them, too. */
export const SHARED_CODES: ReadonlyMap<string, Explanation> = new Map(Object.entries(EXPLANATIONS));
