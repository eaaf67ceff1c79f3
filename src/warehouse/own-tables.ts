import { instantText } from '../domain/civil-date.ts';
import { UNITS } from '../gaql/catalogue/units.ts';
import { customerColumn } from './published-columns.ts';
import { publishedInstant } from './published-instant.ts';
import type { DeclaredType, PublishedColumn, PublishedTable } from './published-table.ts';

/** A column filled by the column of the same name, or by `expression`; a DATETIME by an instant of the state file. */
export function ownColumn(
  name: string,
  declared: DeclaredType,
  description: string,
  { unit, expression = name }: { unit?: string; expression?: string } = {},
): PublishedColumn {
  const filled = declared === 'DATETIME' ? publishedInstant(expression) : expression;
  return { name, declared, expression: filled, unit: unit ?? UNIT_OF_TYPE[declared], description };
}

const UNIT_OF_TYPE: Partial<Record<DeclaredType, string>> = {
  DATE: UNITS.date,
  DATETIME: UNITS.instant,
  BOOLEAN: UNITS.flag,
};
const COUNT = { unit: UNITS.count };
const ID = { unit: UNITS.id };
const RUN = ownColumn('run_id', 'INTEGER', 'The run.', ID);

/** What the program says of itself: accounts, runs, how fresh all of it is. */
export function ownTables(nowMs: number, token: string): PublishedTable[] {
  return [ACCOUNT, RUN_TABLE, RUN_ACCOUNT, asOf(nowMs, token)];
}

const ACCOUNT: PublishedTable = {
  name: 'account',
  description: 'One row per account that was ever read.',
  columns: [
    customerColumn('customer_id'),
    ownColumn('name', 'TEXT', "The account's name."),
    ownColumn('currency', 'TEXT', 'Its currency, ISO 4217; amounts of the account are in it.'),
    ownColumn('time_zone', 'TEXT', 'Its time zone, by which its days begin and end.'),
    ownColumn('status', 'TEXT', "The service's word for its standing: ENABLED, SUSPENDED and so on."),
    ownColumn('seen_at', 'DATETIME', 'When it was last asked for its name, currency and time zone.'),
  ],
  key: ['customer_id'],
  from: 'FROM state.account ORDER BY customer_id',
  indexes: [],
};

const RUN_TABLE: PublishedTable = {
  name: 'run',
  description: 'One row per run of the program.',
  columns: [
    ownColumn('id', 'INTEGER', 'The number of the run.', ID),
    ownColumn('command', 'TEXT', 'The command that ran.'),
    ownColumn('target', 'TEXT', 'The service it asked.'),
    ownColumn('mode', 'TEXT', 'How far automation might go: propose, approve or apply.'),
    ownColumn('dry_run', 'BOOLEAN', 'Whether it was to change and send nothing.'),
    ownColumn(
      'state',
      'TEXT',
      'done, stopped (it was asked to), failed (something went wrong and the rest was done), refused, died or running.',
    ),
    ownColumn('started_at', 'DATETIME', 'When it began.'),
    ownColumn('ended_at', 'DATETIME', 'When it ended.'),
    ownColumn('accounts', 'INTEGER', 'Accounts it covered.', COUNT),
    ownColumn('rows_read', 'INTEGER', 'Rows it read.', COUNT),
    ownColumn('operations', 'INTEGER', "Requests that count against the service's daily quota.", COUNT),
    ownColumn('budget_changes', 'INTEGER', 'Budgets it changed.', COUNT),
    ownColumn('messages_sent', 'INTEGER', 'Messages it sent, in each of which there may be several alerts.', COUNT),
    ownColumn('failures', 'INTEGER', 'Things that went wrong.', COUNT),
    ownColumn('error', 'TEXT', 'What went wrong, one sentence per line.'),
  ],
  key: ['id'],
  from: 'FROM state.run ORDER BY id',
  indexes: [],
};

const RUN_ACCOUNT: PublishedTable = {
  name: 'run_account',
  description: 'What became of each account in each run.',
  columns: [
    RUN,
    customerColumn('customer_id'),
    ownColumn('state', 'TEXT', 'read, stopped (the run was asked to), failed, left_out or not_reached.'),
    ownColumn('reason', 'TEXT', 'Why it was not read; NULL when it was.'),
  ],
  key: ['run_id', 'customer_id'],
  from: 'FROM state.run_account ORDER BY run_id, customer_id',
  indexes: [],
};

function asOf(nowMs: number, token: string): PublishedTable {
  const target = '(SELECT identity FROM state.target)';
  return {
    name: 'as_of',
    description:
      'One row: when this file was published, and from which service its numbers are. When they were read says account_day.',
    columns: [
      ownColumn('as_of', 'DATETIME', 'When this file was published.', { expression: `'${instantText(nowMs)}'` }),
      ownColumn('target', 'TEXT', 'The service.', { expression: target }),
      ownColumn('publication', 'TEXT', 'What this file is called: every publication has another.', {
        expression: `'${token}'`,
      }),
    ],
    key: [],
    from: '',
    indexes: [],
  };
}
