import type { Explanation } from './explanation.ts';

/** How a query is written: words, clauses, operators and values. */
export const SYNTAX_CODES = {
  EXPECTED_SELECT: {
    meaning: 'A query begins with SELECT. A file without a query, and a misspelt SELECT, have this code, too.',
    wrong: 'SELCT campaign.id FROM campaign',
    right: 'SELECT campaign.id FROM campaign',
  },
  EXPECTED_FROM: {
    meaning: 'After the fields comes FROM with one resource.',
    wrong: 'SELECT campaign.id FORM campaign',
    right: 'SELECT campaign.id FROM campaign',
  },
  EXPECTED_BY: {
    meaning: 'ORDER is followed by BY.',
    wrong: 'SELECT campaign.id FROM campaign ORDER campaign.id',
    right: 'SELECT campaign.id FROM campaign ORDER BY campaign.id',
  },
  EXPECTED_AND: {
    meaning:
      'AND stands between two conditions, and between the two values of BETWEEN. The language has no OR: use IN for several values of one field, or two queries.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id = 1 OR campaign.id = 2',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (1, 2)',
  },
  EXPECTED_LIST: {
    meaning: 'IN and CONTAINS take a list: values in parentheses with commas between them.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id IN 1',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (1)',
  },
  EXPECTED_SINGLE_VALUE: {
    meaning: 'The operator takes one value and a list was given.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id = (1, 2)',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (1, 2)',
  },
  EXPECTED_VALUE_WITH_BETWEEN_OPERATOR: {
    meaning: 'BETWEEN takes two values.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id BETWEEN AND 5',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id BETWEEN 1 AND 5',
  },
  PROHIBITED_EMPTY_LIST_IN_CONDITION: {
    meaning: 'A list has at least one value.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id IN ()',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (1)',
  },
  BAD_FIELD_NAME: {
    meaning:
      'A field was expected: lower-case words with dots, such as metrics.clicks. There are no functions and no arithmetic.',
    wrong: 'SELECT campaign.id, FROM campaign',
    right: 'SELECT campaign.id FROM campaign',
  },
  BAD_ALIAS: {
    meaning:
      'AS gives a column its name in the table: lower-case letters, digits and underscores. The day is always the column date, because tables are replaced and rules evaluated by it.',
    wrong: 'SELECT campaign.id AS "Campaign" FROM campaign',
    right: 'SELECT campaign.id AS campaign FROM campaign',
  },
  BAD_OPERATOR: {
    meaning: 'There is no such operator, or it is not complete.',
    wrong: "SELECT campaign.id FROM campaign WHERE campaign.name LIKEE 'brand%'",
    right: "SELECT campaign.id FROM campaign WHERE campaign.name LIKE 'brand%'",
  },
  BAD_VALUE: {
    meaning: 'The value is missing, or does not fit the field it is compared with.',
    wrong: 'SELECT campaign_budget.id FROM campaign_budget WHERE campaign_budget.explicitly_shared = 1',
    right: 'SELECT campaign_budget.id FROM campaign_budget WHERE campaign_budget.explicitly_shared = TRUE',
  },
  BAD_NUMBER: {
    meaning: 'A number is written in digits, without exponent, unit or separators; whole numbers without a point.',
    wrong: 'SELECT campaign.id FROM campaign WHERE metrics.cost_micros > 1e6',
    right: 'SELECT campaign.id FROM campaign WHERE metrics.cost_micros > 1000000',
  },
  BAD_SYMBOL: {
    meaning:
      'A character that has no meaning outside quotes: arithmetic, templates, backquotes, typographic quotes, letters of other scripts that only look Latin, invisible characters.',
    wrong: 'SELECT * FROM campaign',
    right: 'SELECT campaign.id, campaign.name FROM campaign',
  },
  BAD_ESCAPE_SEQUENCE: {
    meaning: 'Within quotes a backslash is followed by one of \\ \' " n r t.',
    wrong: "SELECT campaign.id FROM campaign WHERE campaign.name = 'a\\qb'",
    right: "SELECT campaign.id FROM campaign WHERE campaign.name = 'a\\\\qb'",
  },
  STRING_NOT_TERMINATED: {
    meaning: 'A text in quotes ends on its line with the quote it began with. Two quotes in a row are no escape.',
    wrong: "SELECT campaign.id FROM campaign WHERE campaign.name = 'brand",
    right: "SELECT campaign.id FROM campaign WHERE campaign.name = 'brand'",
  },
  PROHIBITED_NEWLINE_IN_STRING: {
    meaning: 'A text in quotes does not go over the end of its line.',
    wrong: "SELECT campaign.id FROM campaign WHERE campaign.name = 'brand\nshoes'",
    right: "SELECT campaign.id FROM campaign WHERE campaign.name = 'brand\\nshoes'",
  },
  COMMENT_NOT_TERMINATED: {
    meaning: 'A comment that begins with /* ends with */.',
    wrong: 'SELECT campaign.id FROM campaign /* all of them',
    right: 'SELECT campaign.id FROM campaign /* all of them */',
  },
  BAD_LIMIT_VALUE: {
    meaning: 'LIMIT takes a whole number from 1 to 2147483647.',
    wrong: 'SELECT campaign.id FROM campaign LIMIT ten',
    right: 'SELECT campaign.id FROM campaign LIMIT 10',
  },
  LIMIT_VALUE_TOO_LOW: {
    meaning: 'LIMIT takes a whole number of at least 1.',
    wrong: 'SELECT campaign.id FROM campaign LIMIT 0',
    right: 'SELECT campaign.id FROM campaign LIMIT 1',
  },
  BAD_PARAMETER_NAME: {
    meaning: 'PARAMETERS takes include_drafts and omit_unselected_resource_names, each once.',
    wrong: 'SELECT campaign.id FROM campaign PARAMETERS include_draft = true',
    right: 'SELECT campaign.id FROM campaign PARAMETERS include_drafts = true',
  },
  BAD_PARAMETER_VALUE: {
    meaning: 'A request parameter is true or false.',
    wrong: 'SELECT campaign.id FROM campaign PARAMETERS include_drafts = 1',
    right: 'SELECT campaign.id FROM campaign PARAMETERS include_drafts = true',
  },
  UNEXPECTED_END_OF_QUERY: {
    meaning: 'The text ends before the query does.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id =',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id = 1',
  },
  UNEXPECTED_INPUT: {
    meaning:
      'Something stands where nothing, a comma or another clause belongs. The clauses are SELECT, FROM, WHERE, ORDER BY, LIMIT, PARAMETERS, in that order, each once, and a file holds one query.',
    wrong: 'SELECT campaign.id campaign.name FROM campaign',
    right: 'SELECT campaign.id, campaign.name FROM campaign',
  },
} as const satisfies Readonly<Record<string, Explanation>>;
