export interface Explanation {
  readonly meaning: string;
  readonly wrong: string;
  readonly right: string;
  /** The kind of the texts `wrong` and `right`. Default: `query`. */
  readonly of?: 'query' | 'file name' | 'file' | 'rule' | 'model';
}

export const SYNTAX_CODES = {
  EXPECTED_SELECT: {
    meaning: 'A query begins with SELECT. This code also marks an empty file or a misspelt SELECT.',
    wrong: 'SELCT campaign.id FROM campaign',
    right: 'SELECT campaign.id FROM campaign',
  },
  EXPECTED_FROM: {
    meaning: 'FROM with one resource follows the fields.',
    wrong: 'SELECT campaign.id FORM campaign',
    right: 'SELECT campaign.id FROM campaign',
  },
  EXPECTED_BY: {
    meaning: 'Write BY after ORDER.',
    wrong: 'SELECT campaign.id FROM campaign ORDER campaign.id',
    right: 'SELECT campaign.id FROM campaign ORDER BY campaign.id',
  },
  EXPECTED_AND: {
    meaning:
      'Write AND between conditions, and between the two values of BETWEEN. There is no OR: use IN, or write two queries.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id = 1 OR campaign.id = 2',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (1, 2)',
  },
  EXPECTED_LIST: {
    meaning: 'IN and CONTAINS take a list: values in parentheses, separated by commas.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id IN 1',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (1)',
  },
  EXPECTED_SINGLE_VALUE: {
    meaning: 'The operator takes one value, not a list.',
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
    meaning: 'Expected a field: lower-case words joined by dots, such as metrics.clicks. No functions, no arithmetic.',
    wrong: 'SELECT campaign.id, FROM campaign',
    right: 'SELECT campaign.id FROM campaign',
  },
  BAD_ALIAS: {
    meaning: 'AS names a column with lower-case letters, digits and underscores. The column date cannot be renamed.',
    wrong: 'SELECT campaign.id AS "Campaign" FROM campaign',
    right: 'SELECT campaign.id AS campaign FROM campaign',
  },
  BAD_OPERATOR: {
    meaning: 'The operator is unknown or incomplete.',
    wrong: "SELECT campaign.id FROM campaign WHERE campaign.name LIKEE 'brand%'",
    right: "SELECT campaign.id FROM campaign WHERE campaign.name LIKE 'brand%'",
  },
  BAD_VALUE: {
    meaning: 'The value is missing or does not fit its field.',
    wrong: 'SELECT campaign_budget.id FROM campaign_budget WHERE campaign_budget.explicitly_shared = 1',
    right: 'SELECT campaign_budget.id FROM campaign_budget WHERE campaign_budget.explicitly_shared = TRUE',
  },
  BAD_NUMBER: {
    meaning: 'Write numbers in digits, without exponent, unit or separators. Whole numbers have no point.',
    wrong: 'SELECT campaign.id FROM campaign WHERE metrics.cost_micros > 1e6',
    right: 'SELECT campaign.id FROM campaign WHERE metrics.cost_micros > 1000000',
  },
  BAD_SYMBOL: {
    meaning:
      'The character is invalid outside quotes. Examples: arithmetic, templates, backquotes, typographic quotes, look-alike or invisible letters.',
    wrong: 'SELECT * FROM campaign',
    right: 'SELECT campaign.id, campaign.name FROM campaign',
  },
  BAD_ESCAPE_SEQUENCE: {
    meaning: 'In quotes, a backslash must be followed by one of \\ \' " n r t.',
    wrong: "SELECT campaign.id FROM campaign WHERE campaign.name = 'a\\qb'",
    right: "SELECT campaign.id FROM campaign WHERE campaign.name = 'a\\\\qb'",
  },
  STRING_NOT_TERMINATED: {
    meaning: 'A text in quotes must end on its line, with the same quote. Two quotes in a row do not escape one.',
    wrong: "SELECT campaign.id FROM campaign WHERE campaign.name = 'brand",
    right: "SELECT campaign.id FROM campaign WHERE campaign.name = 'brand'",
  },
  PROHIBITED_NEWLINE_IN_STRING: {
    meaning: 'A text in quotes cannot contain a line break.',
    wrong: "SELECT campaign.id FROM campaign WHERE campaign.name = 'brand\nshoes'",
    right: "SELECT campaign.id FROM campaign WHERE campaign.name = 'brand\\nshoes'",
  },
  COMMENT_NOT_TERMINATED: {
    meaning: 'A comment that begins with /* must end with */.',
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
    meaning: 'The query is incomplete: the text ends too early.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id =',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id = 1',
  },
  UNEXPECTED_INPUT: {
    meaning:
      'Expected a comma, the next clause or the end. Clauses in order, each once: SELECT, FROM, WHERE, ORDER BY, LIMIT, PARAMETERS. A file holds one query.',
    wrong: 'SELECT campaign.id campaign.name FROM campaign',
    right: 'SELECT campaign.id, campaign.name FROM campaign',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

const FIELD_CODES = {
  BAD_RESOURCE_TYPE_IN_FROM_CLAUSE: {
    meaning: 'FROM takes the name of one resource.',
    wrong: 'SELECT campaign.id FROM campaigns',
    right: 'SELECT campaign.id FROM campaign',
  },
  UNRECOGNIZED_FIELD: {
    meaning: 'The field does not exist. If it was renamed, the message shows its new name.',
    wrong: 'SELECT campaign.nam FROM campaign',
    right: 'SELECT campaign.name FROM campaign',
  },
  PROHIBITED_FIELD_IN_SELECT_CLAUSE: {
    meaning: 'Select fields or whole lists. Resources, fields of type MESSAGE and parts of lists cannot be selected.',
    wrong: 'SELECT ad_group_criterion.keyword FROM keyword_view',
    right: 'SELECT ad_group.id, ad_group_criterion.criterion_id, ad_group_criterion.keyword.text FROM keyword_view',
  },
  PROHIBITED_FIELD_IN_WHERE_CLAUSE: {
    meaning: 'Compare fields or whole lists. Resources, fields of type MESSAGE and parts of lists cannot be compared.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign = 5',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id = 5',
  },
  PROHIBITED_FIELD_IN_ORDER_BY_CLAUSE: {
    meaning: 'Rows can be sorted by fields, but not by resources, lists or fields of type MESSAGE.',
    wrong: 'SELECT campaign.id FROM campaign ORDER BY campaign',
    right: 'SELECT campaign.id FROM campaign ORDER BY campaign.id',
  },
  PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE: {
    meaning: 'The field exists, but its resource cannot be selected from this one.',
    wrong: 'SELECT campaign.id, ad_group.id FROM campaign',
    right: 'SELECT campaign.id, ad_group.id FROM ad_group',
  },
  PROHIBITED_RESOURCE_TYPE_IN_WHERE_CLAUSE: {
    meaning: 'The field exists, but this resource cannot be filtered by it.',
    wrong: 'SELECT campaign.id FROM campaign WHERE ad_group.id = 5',
    right: 'SELECT campaign.id, ad_group.id FROM ad_group WHERE ad_group.id = 5',
  },
  PROHIBITED_METRIC_IN_SELECT_OR_WHERE_CLAUSE: {
    meaning: 'The resource does not have this metric.',
    wrong: 'SELECT campaign_criterion.criterion_id, metrics.clicks FROM campaign_criterion',
    right: 'SELECT ad_group.id, ad_group_criterion.criterion_id, metrics.clicks FROM keyword_view',
  },
  PROHIBITED_SEGMENT_IN_SELECT_OR_WHERE_CLAUSE: {
    meaning: 'The resource cannot be split by this segment.',
    wrong: 'SELECT ad_group.id, ad_group_criterion.criterion_id, segments.product_item_id FROM keyword_view',
    right: 'SELECT ad_group.id, ad_group_criterion.criterion_id, segments.device FROM keyword_view',
  },
  PROHIBITED_SEGMENT_WITH_METRIC_IN_SELECT_OR_WHERE_CLAUSE: {
    meaning:
      'Segments of conversions, such as segments.conversion_action, split only conversions and their values. They cannot stand beside impressions, clicks or costs.',
    wrong:
      'SELECT campaign.id, segments.conversion_action, metrics.clicks FROM campaign WHERE segments.date DURING LAST_30_DAYS',
    right:
      'SELECT campaign.id, segments.conversion_action, metrics.conversions FROM campaign WHERE segments.date DURING LAST_30_DAYS',
  },
  PROHIBITED_FIELD_COMBINATION_IN_SELECT_CLAUSE: {
    meaning:
      'The service does not combine these two segments, or these two metrics. Only a refreshed catalogue lists such pairs.',
    wrong: 'SELECT campaign.id, segments.click_type, segments.conversion_action FROM campaign',
    right: 'SELECT campaign.id, segments.conversion_action FROM campaign',
  },
  EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE: {
    meaning:
      'SELECT must contain the fields of ORDER BY and the segments of WHERE, except dates. If an attribute in WHERE splits the rows like a segment, select it, too.',
    wrong: 'SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.device = MOBILE',
    right: 'SELECT campaign.id, segments.device, metrics.clicks FROM campaign WHERE segments.device = MOBILE',
  },
  DUPLICATE_FIELD: {
    meaning: 'A field is selected twice.',
    wrong: 'SELECT campaign.id, campaign.id FROM campaign',
    right: 'SELECT campaign.id FROM campaign',
  },
  DUPLICATE_COLUMN: {
    meaning: 'Two columns would get the same name. Every table has customer_id, and cost_micros adds the column cost.',
    wrong: 'SELECT campaign.id, campaign.name AS campaign_id FROM campaign',
    right: 'SELECT campaign.id, campaign.name FROM campaign',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

const CONDITION_CODES = {
  OPERATOR_FIELD_MISMATCH: {
    meaning:
      'The operator is not documented for this field type. If it cannot work, this is an error, otherwise a warning.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id DURING TODAY',
    right: 'SELECT campaign.id FROM campaign WHERE segments.date DURING TODAY',
  },
  BAD_ENUM_CONSTANT: {
    meaning: 'Unknown constant. The field takes a fixed set of constants in capitals.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.status = ENABELD',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.status = ENABLED',
  },
  PROHIBITED_ENUM_CONSTANT: {
    meaning: 'Do not filter by UNKNOWN or UNSPECIFIED. The service may refuse these constants.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.status = UNKNOWN',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.status != ENABLED',
  },
  INVALID_STRING_VALUE: {
    meaning: 'The field is text. Write the value in quotes.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.name = brand',
    right: "SELECT campaign.id FROM campaign WHERE campaign.name = 'brand'",
  },
  INVALID_VALUE_WITH_LIKE_OPERATOR: {
    meaning: 'LIKE takes a text in quotes. % matches any text, _ any character, [%] and [_] match % and _.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.name LIKE brand',
    right: "SELECT campaign.id FROM campaign WHERE campaign.name LIKE 'brand%'",
  },
  INVALID_VALUE_WITH_BETWEEN_OPERATOR: {
    meaning: 'BETWEEN takes the smaller value first.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id BETWEEN 5 AND 1',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id BETWEEN 1 AND 5',
  },
  INVALID_REGULAR_EXPRESSION: {
    meaning:
      'REGEXP_MATCH takes a regular expression in the syntax of RE2, which has no look-ahead, look-behind or back-references.',
    wrong: "SELECT campaign.id FROM campaign WHERE campaign.name REGEXP_MATCH '(brand'",
    right: "SELECT campaign.id FROM campaign WHERE campaign.name REGEXP_MATCH '.*(brand).*'",
  },
  FILTER_HAS_TOO_MANY_VALUES: {
    meaning: 'A list holds at most 20,000 values.',
    wrong: `SELECT campaign.id FROM campaign WHERE campaign.id IN (${'1, '.repeat(20_000)}1)`,
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (1, 2)',
  },
  UNBOUND_PARAMETER: {
    meaning:
      'A query parameter has no value. Set it with --param or in pacekeeper.yaml. A check warns; a run refuses the query.',
    wrong: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (:campaigns)',
    right: 'SELECT campaign.id FROM campaign WHERE campaign.id IN (1, 2)',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

const DATE_CODES = {
  EXPECTED_FILTERS_ON_DATE_RANGE: {
    meaning: 'A query that selects a date needs a first and a last day: DURING, BETWEEN, =, or >= with <=.',
    wrong: "SELECT campaign.id, segments.date FROM campaign WHERE segments.date >= '2026-01-01'",
    right: 'SELECT campaign.id, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS',
  },
  INVALID_DATE_FORMAT: {
    meaning: "Write an existing date in quotes: 'YYYY-MM-DD' or 'YYYYMMDD'.",
    wrong: "SELECT campaign.id FROM campaign WHERE segments.date = '2026-02-30'",
    right: "SELECT campaign.id FROM campaign WHERE segments.date = '2026-02-28'",
  },
  INVALID_VALUE_WITH_DURING_OPERATOR: {
    meaning: 'DURING takes a period, such as LAST_7_DAYS or THIS_MONTH. For other lengths, use BETWEEN.',
    wrong: 'SELECT campaign.id FROM campaign WHERE segments.date DURING LAST_8_DAYS',
    right: 'SELECT campaign.id FROM campaign WHERE segments.date BETWEEN :today-8 AND :yesterday',
  },
  DATE_RANGE_TOO_NARROW: {
    meaning: 'The date conditions leave no day: the first day is after the last.',
    wrong: "SELECT campaign.id FROM campaign WHERE segments.date BETWEEN '2026-02-03' AND '2026-02-01'",
    right: "SELECT campaign.id FROM campaign WHERE segments.date BETWEEN '2026-02-01' AND '2026-02-03'",
  },
  DATE_RANGE_TOO_WIDE: {
    meaning: 'A query of click_view must cover exactly one day.',
    wrong: 'SELECT click_view.resource_name FROM click_view WHERE segments.date DURING LAST_7_DAYS',
    right: 'SELECT click_view.resource_name FROM click_view WHERE segments.date DURING YESTERDAY',
  },
  MISALIGNED_DATE_FOR_FILTER: {
    meaning: 'segments.week, month and quarter take the first day of a week (a Monday), month or quarter.',
    wrong: "SELECT campaign.id FROM campaign WHERE segments.month = '2026-01-15'",
    right: "SELECT campaign.id FROM campaign WHERE segments.month = '2026-01-01'",
  },
  CHANGE_DATE_RANGE_INFINITE: {
    meaning: 'change_status and change_event need a first and a last time in WHERE.',
    wrong: 'SELECT change_status.resource_name FROM change_status LIMIT 100',
    right:
      'SELECT change_status.resource_name FROM change_status WHERE change_status.last_change_date_time DURING LAST_14_DAYS LIMIT 100',
  },
  LIMIT_NOT_SPECIFIED: {
    meaning: 'change_status and change_event need a LIMIT.',
    wrong:
      'SELECT change_status.resource_name FROM change_status WHERE change_status.last_change_date_time DURING LAST_14_DAYS',
    right:
      'SELECT change_status.resource_name FROM change_status WHERE change_status.last_change_date_time DURING LAST_14_DAYS LIMIT 10000',
  },
  INVALID_LIMIT_CLAUSE: {
    meaning: 'change_status and change_event take a LIMIT of at most 10,000.',
    wrong:
      'SELECT change_status.resource_name FROM change_status WHERE change_status.last_change_date_time DURING LAST_14_DAYS LIMIT 10001',
    right:
      'SELECT change_status.resource_name FROM change_status WHERE change_status.last_change_date_time DURING LAST_14_DAYS LIMIT 10000',
  },
  START_DATE_TOO_OLD: {
    meaning: 'The service keeps change_event for 30 days, change_status and click_view for 90 days.',
    wrong:
      "SELECT change_event.resource_name FROM change_event WHERE change_event.change_date_time BETWEEN '2015-01-01' AND '2015-01-31' LIMIT 100",
    right:
      'SELECT change_event.resource_name FROM change_event WHERE change_event.change_date_time DURING LAST_14_DAYS LIMIT 100',
  },
  METRICS_WITHOUT_PERIOD: {
    meaning: 'The query has metrics, but names no period. The service then counts the metrics over all time.',
    wrong: 'SELECT campaign.id, metrics.clicks FROM campaign',
    right: 'SELECT campaign.id, metrics.clicks FROM campaign WHERE segments.date DURING LAST_30_DAYS',
  },
  BEYOND_RETENTION: {
    meaning: 'The service keeps daily numbers for 37 months. Earlier days give no rows, or an error.',
    wrong: "SELECT campaign.id FROM campaign WHERE segments.date BETWEEN '2015-01-01' AND '2015-01-31'",
    right: 'SELECT campaign.id FROM campaign WHERE segments.date DURING LAST_MONTH',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

const TABLE_CODES = {
  MISSING_ROW_KEY: {
    meaning:
      'The query lacks a part of the row key, so two rows may look the same. Select the own ids of the resource, or its resource_name.',
    wrong: 'SELECT ad_group_criterion.keyword.text, metrics.clicks FROM keyword_view',
    right:
      'SELECT ad_group.id, ad_group_criterion.criterion_id, ad_group_criterion.keyword.text, metrics.clicks FROM keyword_view',
  },
  LIMITED_TABLE: {
    meaning: 'The query has a LIMIT, so its table may be incomplete. Rules refuse to read it.',
    wrong: 'SELECT campaign.id FROM campaign LIMIT 10',
    right: 'SELECT campaign.id FROM campaign',
  },
  BAD_TABLE_NAME: {
    meaning:
      'The file name is the table name: lower-case letters, digits and underscores, starting with a letter. Some names are reserved. Two files cannot share a name.',
    wrong: 'Keyword Stats.sql',
    right: 'keyword_stats.sql',
    of: 'file name',
  },
  UNREADABLE_FILE: {
    meaning: 'The file is missing, a folder, not readable, binary, not UTF-8 or too large.',
    wrong: 'SELECT campaign.id\u0000 FROM campaign',
    right: 'SELECT campaign.id FROM campaign',
    of: 'file',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

const BY_SUBJECT = {
  'Query syntax': SYNTAX_CODES,
  'Fields and resources': FIELD_CODES,
  'Conditions and values': CONDITION_CODES,
  Dates: DATE_CODES,
  'File and table': TABLE_CODES,
};

/** Codes equal the error names of the service, where such names exist. */
export type DiagnosticCode =
  | keyof typeof SYNTAX_CODES
  | keyof typeof FIELD_CODES
  | keyof typeof CONDITION_CODES
  | keyof typeof DATE_CODES
  | keyof typeof TABLE_CODES;

export const CODES_BY_SUBJECT: readonly {
  readonly subject: string;
  readonly codes: readonly (readonly [string, Explanation])[];
}[] = Object.entries(BY_SUBJECT).map(([subject, codes]) => ({ subject, codes: Object.entries<Explanation>(codes) }));

export const CODES: ReadonlyMap<string, Explanation> = new Map(CODES_BY_SUBJECT.flatMap(({ codes }) => codes));
