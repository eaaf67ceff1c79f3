import type { Explanation } from './explanation.ts';

/** What a field can be compared with. */
export const CONDITION_CODES = {
  OPERATOR_FIELD_MISMATCH: {
    meaning:
      'The operator is not documented for a field of this type. The provider’s table is incomplete, so this is a warning, unless the operator cannot work at all: DURING without a date, CONTAINS without a list.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id DURING TODAY',
    right: 'SELECT campaign.id FROM campaign WHERE segments.date DURING TODAY',
  },
  BAD_ENUM_CONSTANT: {
    meaning: 'The field has a fixed set of constants, and this is none of them. They are written in capitals.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.status = ENABELD',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.status = ENABLED',
  },
  PROHIBITED_ENUM_CONSTANT: {
    meaning: 'UNKNOWN and UNSPECIFIED stand for what a client does not know; the service may refuse to filter by them.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.status = UNKNOWN',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.status != ENABLED',
  },
  INVALID_STRING_VALUE: {
    meaning: 'The field is text, and text stands in quotes.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.name = brand',
    right: "SELECT campaign.id FROM campaign WHERE campaign.name = 'brand'",
  },
  INVALID_VALUE_WITH_LIKE_OPERATOR: {
    meaning: 'LIKE takes a text in quotes: % is any text, _ any character, [%] and [_] are themselves.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.name LIKE brand',
    right: "SELECT campaign.id FROM campaign WHERE campaign.name LIKE 'brand%'",
  },
  INVALID_VALUE_WITH_BETWEEN_OPERATOR: {
    meaning: 'BETWEEN takes the smaller value first.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id BETWEEN 5 AND 1',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id BETWEEN 1 AND 5',
  },
  FILTER_HAS_TOO_MANY_VALUES: {
    meaning: 'A list holds 20,000 values at most.',
    wrong: `SELECT campaign.id FROM campaign WHERE campaign.id IN (${'1, '.repeat(20_000)}1)`,
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (1, 2)',
  },
  UNBOUND_PARAMETER: {
    meaning:
      'A parameter of the query has no value. Give it on the command line or in pacekeeper.yaml. A check only warns; a run refuses.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (:campaigns)',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (1, 2)',
  },
} as const satisfies Readonly<Record<string, Explanation>>;
