import { CUSTOMER } from './budget-columns.ts';
import { id, instant, text } from './column.ts';
import type { PublishedView } from './published-view.ts';
import { ACCOUNT_COLUMNS, RUN_COLUMNS } from './run-columns.ts';

const ACCOUNT: PublishedView = {
  name: 'account',
  description: 'One row per account that was read at least once.',
  columns: [
    CUSTOMER,
    text('name', 'The name of the account.'),
    text('currency', 'The currency of the account and of its amounts, ISO 4217.'),
    text('time_zone', 'The time zone in which its days begin and end.'),
    text('status', 'The status at the service: ENABLED, SUSPENDED and so on.'),
    instant('seen_at', 'When its name, currency and time zone were last read.'),
  ],
  key: ['customer_id'],
};

const RUN: PublishedView = {
  name: 'run',
  description: 'One row per run of pacekeeper.',
  columns: RUN_COLUMNS,
  key: ['id'],
};

const RUN_ACCOUNT: PublishedView = {
  name: 'run_account',
  description: 'One row per account and run, with the outcome.',
  columns: [id('run_id', 'The run.'), ...ACCOUNT_COLUMNS.filter(({ key }) => key !== 'rows')],
  key: ['run_id', 'customer_id'],
};

export const PUBLISHED_RUNS: readonly PublishedView[] = [ACCOUNT, RUN, RUN_ACCOUNT];
