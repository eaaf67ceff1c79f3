import { MADE_STATES } from '../domain/made-change.ts';
import { UNITS } from '../gaql/catalogue/units.ts';
import { ownColumn } from './own-tables.ts';
import { amountBeside, customerColumn } from './published-columns.ts';
import type { PublishedColumn, PublishedTable } from './published-table.ts';

const ID = { unit: UNITS.id };
const MICROS = { unit: UNITS.micros };

function amount(name: string, description: string): PublishedColumn[] {
  const column = `${name}_micros`;
  return [ownColumn(column, 'INTEGER', description, MICROS), amountBeside(`${name}_amount`, column, column)];
}

const NUMBER = ownColumn('id', 'INTEGER', 'The number of the change.', ID);
const RUN = ownColumn('run_id', 'INTEGER', 'The run; NULL where a person acted outside of one.', ID);
const CUSTOMER = customerColumn('customer_id');
const BUDGET = ownColumn('budget_id', 'INTEGER', 'The budget.', ID);
const CAMPAIGN = [
  ownColumn('campaign_id', 'INTEGER', 'The campaign whose numbers decided; NULL where it was more than one.', ID),
  ownColumn('campaign_name', 'TEXT', 'Its name at that time.'),
];
const DAY = ownColumn('account_day', 'DATE', "The day of the account's calendar that it counts for.");
const CURRENCY = ownColumn('currency', 'TEXT', "The account's currency, ISO 4217.");
const FROM = amount('from', 'The daily budget before.');
const TO = amount('to', 'The daily budget after.');
const RULE = ownColumn('rule', 'TEXT', 'The rule that decided: the name of its file.');
const VERSION = ownColumn('rule_version', 'TEXT', 'Which wording of the rule decided; NULL where it is not known.', {
  expression: "nullif(rule_version, '')",
});
const REASON = ownColumn('reason', 'TEXT', "The rule's condition with the numbers it saw, or why a person wanted it.");
const ACTOR = ownColumn('actor', 'TEXT', "Who: a rule and its wording, or a person's name.");
const KIND = ownColumn('kind', 'TEXT', 'rule, or undo for a person who took a change back.');
const LIMITS = [
  ownColumn('amount_source', 'TEXT', 'Whether the daily budget before was read or is declared in the settings.'),
  ...amount('declared', 'What the settings declared for the budget.'),
  ...amount('floor', "The rule's floor."),
  ...amount('ceiling', "The rule's ceiling."),
];

const BUDGET_CHANGE: PublishedTable = {
  name: 'budget_change',
  description: 'One row per budget change that was made, with its reason.',
  columns: [
    ...[NUMBER, RUN, CUSTOMER, BUDGET, ...CAMPAIGN, DAY, CURRENCY, ...FROM, ...TO, RULE, VERSION, REASON, ACTOR, KIND],
    ownColumn('state', 'TEXT', 'applied (the service said so) or confirmed (read back later).'),
    ownColumn('decided_at', 'DATETIME', 'When the change was decided.', { expression: 'created_at' }),
    ownColumn('changed_at', 'DATETIME', 'When the service had it.', { expression: 'updated_at' }),
  ],
  key: ['id'],
  from: `FROM state.budget_intent WHERE state IN (${MADE_STATES.map((state) => `'${state}'`).join(', ')}) ORDER BY id`,
  indexes: [],
};

const BUDGET_INTENT: PublishedTable = {
  name: 'budget_intent',
  description: 'One row per budget change that was decided, whatever became of it.',
  columns: [
    ...[NUMBER, RUN, KIND, ownColumn('undoes', 'INTEGER', 'The change that it takes back.', ID), CUSTOMER, BUDGET],
    ...[...CAMPAIGN, DAY, CURRENCY, RULE, VERSION, ACTOR, ...FROM, ...TO, ...LIMITS],
    ownColumn(
      'state',
      'TEXT',
      'planned, validated and sending on its way; applied, confirmed (read back), rejected, superseded (someone else changed the budget), expired (never sent) at its end; unknown while nobody knows whether it was made.',
    ),
    ownColumn('code', 'TEXT', "The service's name, or ours, of what went wrong."),
    REASON,
    ownColumn('outcome', 'TEXT', 'What became of it.'),
    ownColumn('created_at', 'DATETIME', 'When it was decided.'),
    ownColumn('updated_at', 'DATETIME', 'When it came to its state.'),
  ],
  key: ['id'],
  from: 'FROM state.budget_intent ORDER BY id',
  indexes: [],
};

const BUDGET_PROPOSAL: PublishedTable = {
  name: 'budget_proposal',
  description: 'One row per budget change for which a rule asked approval: awaiting it, approved, rejected or over.',
  columns: [
    ownColumn('code', 'TEXT', 'What the person names it by.'),
    ...[RUN, CUSTOMER, BUDGET, ...CAMPAIGN, DAY, CURRENCY, RULE, VERSION, ...FROM, ...TO, ...LIMITS],
    ownColumn('state', 'TEXT', 'open, approved, rejected, expired, or superseded by another decision.'),
    REASON,
    ownColumn('intent_id', 'INTEGER', 'The change that it became.', ID),
    ownColumn('decided_by', 'TEXT', 'Who ended it.'),
    ownColumn('decided_at', 'DATETIME', 'When it ended.'),
    ownColumn('created_at', 'DATETIME', 'When it was made.'),
    ownColumn('expires_at', 'DATETIME', 'Until when it could be decided.'),
  ],
  key: ['code'],
  from: 'FROM state.budget_proposal ORDER BY code',
  indexes: [],
};

const FOREIGN_CHANGE: PublishedTable = {
  name: 'foreign_change',
  description: 'One row per change of a budget that someone else made.',
  columns: [
    ownColumn('id', 'INTEGER', 'The number of the row.', ID),
    ownColumn('event_id', 'INTEGER', 'The event that tells of it.', ID),
    ...[CUSTOMER, BUDGET],
    ownColumn('account_day', 'DATE', "The day of the account's calendar on which it was seen."),
    ...amount('expected', 'The daily budget as we knew it.'),
    ...amount('found', 'The daily budget that was found.'),
    ...amount('declared', 'What the settings declared for the budget.'),
    ownColumn('intent_id', 'INTEGER', 'The change that it came in the way of.', ID),
    ownColumn('seen_at', 'DATETIME', 'When it was seen.'),
  ],
  key: ['id'],
  from: 'FROM state.foreign_change ORDER BY id',
  indexes: [],
};

/** Its rows are never changed, so filling it adds those that are not there yet. */
export const DECISION: PublishedTable = {
  name: 'decision',
  description:
    'One row per decision about a budget: changed, proposed to a person, refused, or only shown. NULL is what was not recorded.',
  columns: [
    ownColumn('event_id', 'INTEGER', 'The event that tells of it.', ID),
    ownColumn(
      'kind',
      'TEXT',
      'change, proposal (a person was asked), refusal, or would_change (only shown: mode propose, or a dry run).',
    ),
    ownColumn(
      'origin',
      'TEXT',
      'Who let it be made: rule, approval by a person, or undo by a person. For what was not made always rule.',
    ),
    ownColumn('dry_run', 'BOOLEAN', 'Whether it was decided in a run that was to change and send nothing.'),
    ownColumn('run_id', 'INTEGER', 'The first run that came to it; NULL where a person acted outside of one.', ID),
    CUSTOMER,
    ownColumn('budget_id', 'INTEGER', 'The budget; NULL for a refusal where it is not known.', ID),
    ...CAMPAIGN,
    ownColumn(
      'subject_kind',
      'TEXT',
      'Whose numbers decided: account, budget or campaign; NULL where it was not recorded.',
    ),
    ownColumn('subject', 'TEXT', 'Its name for people; NULL where it was not recorded.'),
    ...[DAY, RULE, VERSION],
    ownColumn('mode', 'TEXT', 'Of what would be changed: how far it might go by itself (propose, approve, apply).'),
    ownColumn('code', 'TEXT', 'Of a refusal: what stopped it.'),
    ...[CURRENCY, ...FROM, ...TO],
    ownColumn(
      'numbers',
      'TEXT',
      'The numbers that decided and their days, as JSON; amounts in micros. NULL where they were not recorded.',
    ),
    ownColumn('facts', 'TEXT', 'Of a refusal: the facts of its code, as JSON; amounts in micros.'),
    REASON,
    ownColumn('intent_id', 'INTEGER', 'Of a change: its number.', ID),
    ownColumn('proposal_code', 'TEXT', 'The code of the proposal that it is, or came of.'),
    ownColumn('decided_at', 'DATETIME', 'When it was decided.'),
  ],
  key: ['event_id'],
  from: 'FROM state.decision WHERE event_id > coalesce((SELECT max(event_id) FROM main.decision), 0) ORDER BY event_id',
  indexes: [],
};

/** What is decided, proposed and found out about budgets; each is written anew each time. */
export const BUDGET_TABLES: readonly PublishedTable[] = [BUDGET_CHANGE, BUDGET_INTENT, BUDGET_PROPOSAL, FOREIGN_CHANGE];

/** As of decisions. */
export const BUDGET_EVENT: PublishedTable = {
  name: 'budget_event',
  description: 'One row per thing that happened to a budget change, in a chain that shows whether any was altered.',
  columns: [
    ownColumn('id', 'INTEGER', 'The number of the event, without a gap.', ID),
    ownColumn('intent_id', 'INTEGER', 'The change that it is about; NULL where it is about none.', ID),
    ownColumn(
      'kind',
      'TEXT',
      'What happened: the state that the change came to, proposed, approved, frozen and so on.',
    ),
    ownColumn('actor', 'TEXT', "Who: a rule and its wording, or a person's name."),
    ownColumn('detail', 'TEXT', 'Why, what was read, sent and answered, as JSON; amounts in micros.'),
    // Byte for byte as in the state file, and so no DATETIME: the hashes are of it.
    ownColumn('created_at', 'TEXT', 'When it happened.', { unit: UNITS.instant }),
    ownColumn('previous_hash', 'TEXT', 'The hash of the event before.'),
    ownColumn('hash', 'TEXT', 'SHA-256 of the other columns.'),
  ],
  key: ['id'],
  from: 'FROM state.budget_event WHERE id > coalesce((SELECT max(id) FROM main.budget_event), 0) ORDER BY id',
  indexes: [],
};
