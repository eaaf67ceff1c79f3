import { CUSTOMER } from './budget-columns.ts';
import { id, instant, text } from './kit/column.ts';
import type { PublishedView } from './kit/published-view.ts';
import { ACCOUNT_COLUMNS, RUN_COLUMNS } from './run-columns.ts';

const ACCOUNT: PublishedView = {
  name: 'account',
  description: 'One row per account that was ever read.',
  columns: [
    CUSTOMER,
    text('name', "The account's name."),
    text('currency', 'Its currency, ISO 4217; amounts of the account are in it.'),
    text('time_zone', 'Its time zone, by which its days begin and end.'),
    text('status', "The service's word for its standing: ENABLED, SUSPENDED and so on."),
    instant('seen_at', 'When it was last asked for its name, currency and time zone.'),
  ],
  key: ['customer_id'],
};

const RUN: PublishedView = {
  name: 'run',
  description: 'One row per run of the program.',
  columns: RUN_COLUMNS,
  key: ['id'],
};

const RUN_ACCOUNT: PublishedView = {
  name: 'run_account',
  description: 'What became of each account in each run.',
  columns: [id('run_id', 'The run.'), ...ACCOUNT_COLUMNS.filter(({ key }) => key !== 'rows')],
  key: ['run_id', 'customer_id'],
};

export const PUBLISHED_RUNS: readonly PublishedView[] = [ACCOUNT, RUN, RUN_ACCOUNT];
