import { CUSTOMER } from './budget-columns.ts';
import { bySql, count, id, instant, json, state, text } from './column.ts';
import type { PublishedView } from './published-view.ts';

export const PUBLISHED_TESTS: PublishedView = {
  name: 'data_test',
  group: 'record',
  description:
    'Tests of data, as they were last run. One row for each account whose rows broke a test, or one without an account.',
  columns: [
    id('id', 'The number of the row.'),
    bySql(text('table', 'The query or model that is tested.'), 'table_name'),
    text('name', 'The name of the test.'),
    state('severity', 'error (it stops the rules and targets that read the table) or warn.'),
    text('claim', 'The claim that all rows must satisfy.'),
    { ...CUSTOMER, meaning: 'The account. NULL for a test that passed, could not be run, or names no account.' },
    state('state', 'passed, failed or unknown (it could not be run).'),
    count('failures', 'The number of rows that break the test.'),
    json('first_rows', 'Up to a hundred of these rows: a JSON list of objects.'),
    text('reason', 'Why the test could not be run.'),
    instant('tested_at', 'When it was last run.'),
  ],
  key: ['id'],
  isOfSeveral: true,
  from: ({ records }) => `FROM ${records}.data_test`,
  order: 'id',
};
