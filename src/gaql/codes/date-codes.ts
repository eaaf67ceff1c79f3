import type { Explanation } from './explanation.ts';

/** Which days are asked for. */
export const DATE_CODES = {
  EXPECTED_FILTERS_ON_DATE_RANGE: {
    meaning:
      'A query that selects a date has to bound it on both sides: DURING, BETWEEN, =, or >= with <=. An open range would read, and cost, without end.',
    wrong: "SELECT campaign.id, segments.date FROM campaign WHERE segments.date >= '2026-01-01'",
    right: 'SELECT campaign.id, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS',
  },
  INVALID_DATE_FORMAT: {
    meaning: "A date is written in quotes as 'YYYY-MM-DD' or 'YYYYMMDD', and exists in the calendar.",
    wrong: "SELECT campaign.id FROM campaign WHERE segments.date = '2026-02-30'",
    right: "SELECT campaign.id FROM campaign WHERE segments.date = '2026-02-28'",
  },
  INVALID_VALUE_WITH_DURING_OPERATOR: {
    meaning:
      'DURING takes one of the periods TODAY, YESTERDAY, LAST_7_DAYS, LAST_14_DAYS, LAST_30_DAYS, LAST_BUSINESS_WEEK, LAST_WEEK_MON_SUN, LAST_WEEK_SUN_SAT, THIS_WEEK_MON_TODAY, THIS_WEEK_SUN_TODAY, THIS_MONTH, LAST_MONTH. For other lengths use BETWEEN :today-8 AND :yesterday.',
    wrong: 'SELECT campaign.id FROM campaign WHERE segments.date DURING LAST_8_DAYS',
    right: 'SELECT campaign.id FROM campaign WHERE segments.date BETWEEN :today-8 AND :yesterday',
  },
  DATE_RANGE_TOO_NARROW: {
    meaning: 'The date conditions leave no day: the first is after the last.',
    wrong: "SELECT campaign.id FROM campaign WHERE segments.date BETWEEN '2026-02-03' AND '2026-02-01'",
    right: "SELECT campaign.id FROM campaign WHERE segments.date BETWEEN '2026-02-01' AND '2026-02-03'",
  },
  DATE_RANGE_TOO_WIDE: {
    meaning: 'click_view is read one day at a time.',
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
    meaning: 'change_status and change_event take a LIMIT of 10,000 at most.',
    wrong:
      'SELECT change_status.resource_name FROM change_status WHERE change_status.last_change_date_time DURING LAST_14_DAYS LIMIT 10001',
    right:
      'SELECT change_status.resource_name FROM change_status WHERE change_status.last_change_date_time DURING LAST_14_DAYS LIMIT 10000',
  },
  BEYOND_RETENTION: {
    meaning: 'The service keeps 37 months of days. A query for days before gets no rows for them, or an error.',
    wrong: "SELECT campaign.id FROM campaign WHERE segments.date BETWEEN '2015-01-01' AND '2015-01-31'",
    right: 'SELECT campaign.id FROM campaign WHERE segments.date DURING LAST_MONTH',
  },
} as const satisfies Readonly<Record<string, Explanation>>;
