import type { Explanation } from './explanation.ts';

/** The file, and the table that it fills. */
export const TABLE_CODES = {
  MISSING_ROW_KEY: {
    meaning:
      'The query leaves out what tells its rows apart, so that two rows of the table may look the same. The resource’s own ids, or its resource_name, and every selected segment tell rows apart.',
    wrong: 'SELECT ad_group_criterion.keyword.text, metrics.clicks FROM keyword_view',
    right:
      'SELECT ad_group.id, ad_group_criterion.criterion_id, ad_group_criterion.keyword.text, metrics.clicks FROM keyword_view',
  },
  LIMITED_TABLE: {
    meaning: 'The query has a LIMIT, so its table may be a part of what there is. Rules refuse to read such a table.',
    wrong: 'SELECT campaign.id FROM campaign LIMIT 10',
    right: 'SELECT campaign.id FROM campaign',
  },
  BAD_TABLE_NAME: {
    meaning:
      'The file’s name is the table’s name: lower-case letters, digits and underscores, a letter first. The program and SQLite keep some names for themselves. No two files have one name.',
    wrong: 'Keyword Stats.sql',
    right: 'keyword_stats.sql',
    of: 'file name',
  },
  UNREADABLE_FILE: {
    meaning:
      'The file cannot be read as text: it is missing, a folder, not allowed to be read, binary, not UTF-8 or too large.',
    wrong: 'SELECT campaign.id\u0000 FROM campaign',
    right: 'SELECT campaign.id FROM campaign',
    of: 'file',
  },
} as const satisfies Readonly<Record<string, Explanation>>;
