import { InputError } from '../../domain/errors.ts';
import type { Frozen } from '../../domain/frozen.ts';
import {
  DECIDED_COLUMNS,
  EVENT_COLUMNS,
  REASON,
  type ShownChange,
  type ShownProposal,
} from '../../storage/columns/budget-columns.ts';
import { type Column, text } from '../../storage/columns/column.ts';
import { type BudgetEvent, eventsOf, eventsOfProposal } from '../../storage/records/budgets/event-table.ts';
import { intentById } from '../../storage/records/budgets/intent-table.ts';
import { proposalByCode } from '../../storage/records/budgets/proposal-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { CHANGE_COLUMNS, showingChanges, shownProposals } from '../../views/budgets-history.ts';
import { PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { type Listing, memberPart, part } from '../../views/kit/listing.ts';

export interface OneBudgetChange {
  readonly frozen: Frozen | undefined;
  readonly proposal: ShownProposal | undefined;
  readonly change: ShownChange | undefined;
  readonly events: readonly BudgetEvent[];
}

const TOLD = [
  'amount_source',
  'floor_micros',
  'ceiling_micros',
  'declared_micros',
  'intent_kind',
  'undoes',
  'state',
  'proposal_state',
  'expires_at',
  'origin',
  'version',
  'subject_kind',
  'subject',
  'numbers',
  'reason_without_amounts',
  'approved_micros',
].concat([...DECIDED_COLUMNS, REASON].map(({ key }) => key));

const UNTOLD: Column<BudgetEvent> = text('untold', 'Other details.', untoldOf, {
  title: 'Detail',
  long: true,
  only: ['people'],
});

function untoldOf({ detail }: BudgetEvent): string {
  const untold = Object.entries((JSON.parse(detail) as object | null) ?? {}).filter(([name]) => !TOLD.includes(name));
  return untold.flatMap(([name, value]) => factsOf(value, name)).join(', ');
}

function factsOf(value: unknown, name: string): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [`${name} ${value}`];
  return Object.entries(value).flatMap(([key, inner]) => factsOf(inner, `${name}.${key}`));
}

export const BUDGETS_SHOW: Listing<OneBudgetChange> = {
  name: 'budgets show',
  about: 'One proposal or change, and all its events.',
  none: '',
  frozen: ({ frozen }) => frozen,
  parts: [
    part({
      json: 'proposal',
      single: true,
      row: 'proposal',
      title: 'Proposal',
      columns: PROPOSAL_COLUMNS,
      rows: ({ proposal }) => (proposal === undefined ? [] : [proposal]),
    }),
    part({
      json: 'change',
      single: true,
      row: 'change',
      title: 'Change',
      columns: CHANGE_COLUMNS,
      rows: ({ change }) => (change === undefined ? [] : [change]),
    }),
    memberPart('events', { row: 'event', title: 'Events', columns: [...EVENT_COLUMNS, UNTOLD] }),
  ],
};

/** Throws `InputError` for an unknown reference. */
export async function oneBudgetChange(
  db: StateDb,
  frozen: Frozen | undefined,
  reference: string,
): Promise<OneBudgetChange> {
  const accounts = await allAccounts(db);
  const shown = await showingChanges(db, accounts);
  const found = await proposalByCode(db, reference);
  if (found) {
    const [proposal] = await shownProposals(db, accounts, [found]);
    const made = found.intentId === undefined ? undefined : await intentById(db, found.intentId);
    const events = await eventsOfProposal(db, found.code, found.intentId);
    return { frozen, proposal, change: made && shown(made), events };
  }
  const digits = /^[Bb]?([1-9]\d{0,17})$/.exec(reference.trim())?.[1];
  const made = digits === undefined ? undefined : await intentById(db, BigInt(digits));
  if (made) return { frozen, proposal: undefined, change: shown(made), events: await eventsOf(db, made.id) };
  throw new InputError(`No such proposal or change: "${reference}".`, {
    nextStep: 'Run pacekeeper budgets list for proposal codes, or pacekeeper budgets history for change numbers.',
  });
}
