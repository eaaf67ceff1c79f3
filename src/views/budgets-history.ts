import { whoDecidedBesideRule } from '../domain/budget-change.ts';
import { minuteText } from '../domain/civil-date.ts';
import type { Frozen } from '../domain/frozen.ts';
import { formatMoney } from '../domain/micros.ts';
import {
  ACTOR,
  accountNames,
  BUDGET,
  CAME_IN_THE_WAY,
  CHANGE,
  CHANGE_STATE,
  CODE,
  CREATED_AT,
  CUSTOMER,
  DECIDED_COLUMNS,
  DECIDED_WHY,
  EVENT,
  EVENT_COLUMNS,
  EXPECTED,
  FOUND,
  FROM,
  KIND,
  OUTCOME,
  PROPOSAL_CODE,
  PROPOSAL_STATE,
  REASON,
  SEEN_AT,
  SEEN_DAY,
  type ShownChange,
  type ShownProposal,
  SUBJECT,
  TO,
  UNDOES,
  UPDATED_AT,
} from '../storage/columns/budget-columns.ts';
import { type Column, filled, id, text } from '../storage/columns/column.ts';
import { type BudgetEvent, beyondLimits, proposalEnds } from '../storage/records/budgets/event-table.ts';
import type { SeenForeignChange } from '../storage/records/budgets/foreign-change-table.ts';
import { type Intent, undosMade } from '../storage/records/budgets/intent-table.ts';
import type { Proposal } from '../storage/records/budgets/proposal-table.ts';
import type { StateDb } from '../storage/records/record-store.ts';
import type { Account } from '../storage/records/runs/account-table.ts';
import { campaignLink } from './html/parts.ts';
import { type Listing, type Part, part } from './kit/listing.ts';

export interface ShownForeignChange extends SeenForeignChange {
  readonly accountName: string | undefined;
  readonly currency: string | undefined;
}

interface ShownEvent extends BudgetEvent {
  readonly words: string;
}

export interface BudgetHistory {
  readonly frozen: Frozen | undefined;
  readonly accounts: readonly Account[];
  readonly changes: readonly ShownChange[];
  readonly foreign: readonly ShownForeignChange[];
  readonly rejections: readonly ShownProposal[];
  readonly events: readonly BudgetEvent[];
}

export const CHANGE_COLUMNS: readonly Column<ShownChange>[] = [
  CHANGE,
  KIND,
  CHANGE_STATE,
  { ...SUBJECT, note: campaignLink },
  ...DECIDED_COLUMNS,
  { ...ACTOR, title: 'Who', long: true, shown: whoDecidedBesideRule },
  REASON,
  CODE,
  OUTCOME,
  UNDOES,
  text('beyond_limits', 'The limit that a person exceeded.', 'beyondLimits', {
    title: 'Beyond limits',
    long: true,
    shown: ({ beyondLimits: code, actor }) => code && `beyond limits (${code}), decided by ${actor}`,
  }),
  id('undone_by', 'The change that undid it.', ({ undoneBy }) => undoneBy?.id, {
    title: 'Undone',
    long: true,
    shown: ({ undoneBy: by }) => by && `undone by B${by.id} (${by.actor}, ${minuteText(by.createdAt)})`,
    nested: ({ undoneBy: by }) => by && { id: by.id, actor: by.actor, created_at: by.createdAt },
  }),
  CREATED_AT,
  UPDATED_AT,
];

export const FOREIGN_COLUMNS: readonly Column<ShownForeignChange>[] = [
  text('state', 'Its kind.', () => 'changed elsewhere', { title: 'State', only: ['people'] }),
  SUBJECT,
  CUSTOMER,
  BUDGET,
  SEEN_DAY,
  EXPECTED,
  FOUND,
  filled(FROM, ({ expected }) => expected, { only: ['people', 'rows'] }),
  filled(TO, ({ found }) => found, { only: ['people', 'rows'] }),
  SEEN_AT,
  CAME_IN_THE_WAY,
  EVENT,
  filled(CREATED_AT, ({ seenAt }) => seenAt, { only: ['rows'], meaning: SEEN_AT.meaning }),
  filled(UPDATED_AT, ({ seenAt }) => seenAt, { only: ['people'] }),
];

const REJECTION_COLUMNS: readonly Column<ShownProposal>[] = [
  filled(CHANGE, ({ code }) => code, { only: ['people'] }),
  { ...PROPOSAL_CODE, only: ['json'] },
  { ...PROPOSAL_STATE, meaning: 'Always rejected.' },
  SUBJECT,
  ...DECIDED_COLUMNS,
  filled(ACTOR, ({ decidedBy }) => decidedBy, {
    title: 'Who',
    long: true,
    shown: ({ decidedBy, why }) => `rejected by ${decidedBy}${why === undefined ? '' : `: ${why}`}`,
  }),
  REASON,
  filled(CREATED_AT, ({ decidedAt }) => decidedAt),
  filled(UPDATED_AT, ({ decidedAt }) => decidedAt),
  { ...PROPOSAL_CODE, key: 'proposal', only: ['rows'] },
  { ...DECIDED_WHY, only: ['json', 'rows'] },
];

const RECORD_MEANINGS: Readonly<Record<string, string>> = {
  id: 'The number of the event.',
  kind: 'The name of the event, such as frozen or restored.',
};

const RECORD_COLUMNS: readonly Column<ShownEvent>[] = [
  ...EVENT_COLUMNS.map((column) => ({
    ...column,
    meaning: RECORD_MEANINGS[column.key] ?? column.meaning,
    title: undefined,
  })),
  text('state', 'The event.', ({ kind }) => KIND_WORDS[kind] ?? kind, { title: 'State', only: ['people'] }),
  filled(ACTOR, ({ actor }) => `by ${actor}`, { title: 'Who', long: true, only: ['people'] }),
  filled(REASON, ({ words }) => words, { only: ['people', 'rows'] }),
  filled(UPDATED_AT, ({ createdAt }) => createdAt, { only: ['people'] }),
];

export type BudgetChanges = Pick<BudgetHistory, 'changes' | 'foreign' | 'rejections'>;

const CHANGES = part<BudgetChanges, ShownChange>({
  json: 'changes',
  row: 'change',
  title: 'Changes',
  columns: [...CHANGE_COLUMNS, { ...DECIDED_WHY, only: ['json', 'rows'] }],
  rows: ({ changes }) => changes,
  at: ({ createdAt }) => createdAt,
});

const FOREIGN = part<BudgetChanges, ShownForeignChange>({
  json: 'foreign_changes',
  row: 'foreign_change',
  title: 'Changed elsewhere',
  columns: FOREIGN_COLUMNS,
  rows: ({ foreign }) => foreign,
  at: ({ seenAt }) => seenAt,
});

const REJECTIONS = part<BudgetChanges, ShownProposal>({
  json: 'rejections',
  row: 'rejection',
  title: 'Rejected',
  columns: REJECTION_COLUMNS,
  rows: ({ rejections }) => rejections,
  at: ({ decidedAt = '' }) => decidedAt,
});

export const OF_ONE_BUDGET: readonly Part<BudgetChanges>[] = [CHANGES, FOREIGN, REJECTIONS].map((one) => ({
  ...one,
  columns: one.columns.filter(({ key }) => key !== SUBJECT.key && key !== CUSTOMER.key),
}));

export const BUDGETS_HISTORY: Listing<BudgetHistory> = {
  name: 'budgets history',
  about:
    'One row per past change, newest first. `row` is `change` (by pacekeeper, with any outcome), `foreign_change`, `rejection` or `record_event`. A `foreign_change` was made elsewhere. It shows the amount that pacekeeper set and the amount found. A `rejection` is a proposal that a person rejected, so nothing changed. A `record_event` is a freeze, a restored backup or a setting that now allows more. `--customer` and `--campaign` hide `record_event` rows.',
  none: 'No budget changes yet.',
  frozen: ({ frozen }) => frozen,
  parts: [
    CHANGES,
    FOREIGN,
    REJECTIONS,
    part<BudgetHistory, ShownEvent>({
      json: 'record_events',
      row: 'record_event',
      title: 'All budgets',
      columns: RECORD_COLUMNS,
      rows: ({ events, accounts }) => events.map((event) => ({ ...event, words: recordEventText(event, accounts) })),
      at: ({ createdAt }) => createdAt,
    }),
  ],
};

const KIND_WORDS: Readonly<Record<string, string>> = {
  freeze_file_found: 'frozen',
  freeze_file_gone: 'unfrozen',
  settings_widened: 'settings widened',
};

interface RecordDetail {
  readonly why?: string;
  readonly first_line?: string;
  readonly copy?: string;
  readonly frozen_until?: string;
  readonly settings?: readonly { readonly setting: string; readonly before: string; readonly now: string | null }[];
}

export function recordEventText({ kind, detail }: BudgetEvent, accounts: readonly Account[]): string {
  const { why, first_line, copy, frozen_until: until, settings = [] } = JSON.parse(detail) as RecordDetail;
  const gone = kind === 'freeze_file_gone' ? 'the file was removed' : undefined;
  const widened = settings.map(({ setting, before, now }) => {
    const words = (value: string) => boundWords(setting, value, accounts);
    return `${setting} from ${words(before)} to ${now === null ? 'no limit' : words(now)}`;
  });
  const parts = [copy, why, first_line, gone, until && `no changes before ${minuteText(until)}`, ...widened];
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

/** Limits of accounts are stored in micros, so they are converted to amounts. */
function boundWords(setting: string, value: string, accounts: readonly Account[]): string {
  const [, id] = /^accounts\.(\d+)\./.exec(setting) ?? [];
  if (id === undefined) return value;
  return formatMoney(BigInt(value), accounts.find(({ customerId }) => customerId === id)?.currency);
}

export async function showingChanges(
  db: StateDb,
  accounts: readonly Account[],
): Promise<(change: Intent) => ShownChange> {
  const undos = await undosMade(db);
  const beyond = await beyondLimits(db);
  const named = accountNames(accounts);
  return (change) => ({
    ...named(change),
    undoneBy: undos.get(change.id),
    beyondLimits: beyond.get(change.id),
  });
}

/** Adds the name of the account, and the reason of the decision. */
export async function shownProposals(
  db: StateDb,
  accounts: readonly Account[],
  proposals: readonly Proposal[],
): Promise<ShownProposal[]> {
  const named = accountNames(accounts);
  const ends = proposals.some(({ state }) => state !== 'open') ? await proposalEnds(db) : undefined;
  return proposals.map((proposal) => ({ ...named(proposal), ...ends?.get(proposal.code) }));
}

export function showingForeign(accounts: readonly Account[]): (change: SeenForeignChange) => ShownForeignChange {
  const known = new Map(accounts.map((account) => [account.customerId, account]));
  return (change) => {
    const account = known.get(change.customerId);
    return { ...change, accountName: account?.name, currency: account?.currency };
  };
}
