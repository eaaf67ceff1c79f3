import { minuteText } from '../domain/civil-date.ts';
import type { Frozen } from '../domain/frozen.ts';
import type { CustomerId } from '../domain/ids.ts';
import {
  accountNames,
  BECAME,
  CREATED_AT,
  CURRENCY,
  DECIDED_AT,
  DECIDED_BY,
  DECIDED_COLUMNS,
  DECIDED_WHY,
  EXPIRES_AT,
  PROPOSAL_CODE,
  PROPOSAL_STATE,
  REASON,
  type ShownChange,
  type ShownProposal,
  SUBJECT,
} from '../storage/columns/budget-columns.ts';
import { type Column, count as columnCount, text } from '../storage/columns/column.ts';
import { openIntents } from '../storage/records/budgets/intent-table.ts';
import { allProposals, openProposals, type Proposal } from '../storage/records/budgets/proposal-table.ts';
import type { StateDb } from '../storage/records/record-store.ts';
import { allAccounts } from '../storage/records/runs/account-table.ts';
import { type RunTarget, targetsOfRun } from '../storage/records/runs/run-result-table.ts';
import { CHANGE_COLUMNS, shownProposals } from './budgets-history.ts';
import { html } from './html/html.ts';
import { campaignLink } from './html/parts.ts';
import { type Listing, memberPart } from './kit/listing.ts';
import { BUDGET_TODAY, SHOULD_BE, SPENT, TARGET } from './pacing.ts';
import { endingDay } from './report/decision-words.ts';
import { count } from './text/text-layout.ts';

export interface WaitingBudgets {
  readonly frozen: Frozen | undefined;
  readonly proposals: readonly ShownProposal[];
  readonly open: readonly ShownChange[];
  readonly past: readonly ShownProposal[];
  /** Targets of several accounts with waiting changes, as their report found them. */
  readonly plans: readonly Plan[];
  /** Changes of other accounts that await approval or are in doubt. */
  readonly elsewhere: number;
}

export const PROPOSAL_COLUMNS: readonly Column<ShownProposal>[] = [
  {
    ...PROPOSAL_CODE,
    title: 'Code',
    only: ['people', 'json'],
    page: ({ code }) => html`<span class="day">${code}</span>`,
  },
  { ...PROPOSAL_CODE, key: 'proposal', only: ['rows'] },
  PROPOSAL_STATE,
  { ...SUBJECT, note: campaignLink },
  ...DECIDED_COLUMNS,
  REASON,
  CREATED_AT,
  { ...EXPIRES_AT, title: 'Waits', long: true, shown: waitsUntil },
  DECIDED_BY,
  DECIDED_AT,
  DECIDED_WHY,
  text('reply', 'The message that contained the decision.', 'reply', { only: ['json'] }),
  BECAME,
];

const OPEN_STATES_MEANING = 'Under way: planned, validated, sending. In doubt: unknown.';

function waitsUntil(proposal: ShownProposal): string | undefined {
  if (proposal.state !== 'open') return undefined;
  const day = endingDay(proposal);
  const latest = minuteText(proposal.expiresAt);
  return `until ${day === undefined ? latest : `the report of ${day}, at the latest ${latest}`}`;
}

const OPEN_COLUMNS = CHANGE_COLUMNS.map((column): Column<ShownChange> => {
  if (column.key === 'state') return { ...column, meaning: OPEN_STATES_MEANING };
  return ['undoes', 'beyond_limits', 'undone_by'].includes(column.key) ? { ...column, only: ['json'] } : column;
});

interface Plan extends RunTarget {
  readonly waiting: number;
}

const PLAN_COLUMNS: readonly Column<Plan>[] = [
  text('plan', 'The name of the target.', 'rule', { title: 'Target' }),
  columnCount('changes', 'The number of changes that await approval.', 'waiting', { title: 'Changes' }),
  BUDGET_TODAY,
  SHOULD_BE,
  TARGET,
  SPENT,
  CURRENCY,
];

export const BUDGETS_LIST: Listing<WaitingBudgets> = {
  name: 'budgets list',
  evident: ['created_at', 'expires_at', 'decided_by', 'decided_at'],
  about:
    '`row` is `proposal` (a change that awaits approval) or `change` (under way, or its outcome is unknown). `plan` is a target with such changes. `--all` adds `past_proposal`: approved, rejected, expired or superseded.',
  order: ['id', 'proposal'],
  json: ({ frozen }) => ({ frozen: frozen?.why }),
  frozen: ({ frozen }) => frozen,
  after: ({ proposals, plans, open, elsewhere }) => [
    ...(proposals.length + open.length > 0
      ? []
      : [elsewhere === 0 ? 'No changes await approval.' : 'No changes of these accounts await approval.']),
    ...(elsewhere === 0
      ? []
      : [
          `${count(elsewhere, 'change of other accounts awaits', 'changes of other accounts await')} you, outside this filter.`,
        ]),
    ...(proposals.length === 0 ? [] : [APPROVE_HINT]),
    ...(plans.length === 0 ? [] : [APPROVE_PLAN_HINT]),
    ...(open.length === 0 ? [] : [RECONCILE_HINT]),
  ],
  parts: [
    memberPart('plans', { row: 'plan', title: 'Plans of targets', columns: PLAN_COLUMNS }),
    memberPart('proposals', { row: 'proposal', title: 'Awaiting approval', columns: PROPOSAL_COLUMNS }),
    memberPart('open', {
      row: 'change',
      title: 'Changes under way or in doubt',
      columns: OPEN_COLUMNS,
    }),
    memberPart('past', { row: 'past_proposal', title: 'Past proposals', columns: PROPOSAL_COLUMNS }),
  ],
};

const APPROVE_HINT = 'To make a change: pacekeeper budgets approve CODE. To refuse it: pacekeeper budgets reject CODE.';

const APPROVE_PLAN_HINT = 'To make all changes of a target: pacekeeper budgets approve --rule TARGET.';

const RECONCILE_HINT = 'To resolve unknown outcomes, run pacekeeper budgets reconcile.';

export async function budgetsWaiting(
  db: StateDb,
  frozen: Frozen | undefined,
  {
    customers = [],
    all,
    nowMs,
  }: { readonly customers?: readonly CustomerId[]; readonly all: boolean; readonly nowMs: number },
): Promise<WaitingBudgets> {
  const concerned = ({ customerId }: { readonly customerId: CustomerId }) =>
    customers.length === 0 || customers.includes(customerId);
  const accounts = await allAccounts(db);
  const named = accountNames(accounts);
  const allOpen = await openProposals(db, nowMs);
  const intents = await openIntents(db);
  const proposals = allOpen.filter(concerned);
  const open = intents.filter(concerned);
  const waiting = new Set(proposals.map(({ code }) => code));
  const past = all ? (await allProposals(db)).filter(({ code }) => !waiting.has(code)).filter(concerned) : [];
  return {
    frozen,
    proposals: proposals.map(named),
    open: open.map(named),
    elsewhere: allOpen.length + intents.length - proposals.length - open.length,
    past: await shownProposals(db, accounts, past.reverse()),
    plans: await plansOf(db, proposals),
  };
}

async function plansOf(db: StateDb, proposals: readonly Proposal[]): Promise<Plan[]> {
  const runs = new Set(proposals.flatMap(({ runId }) => runId ?? []));
  const targets = await Promise.all([...runs].map(async (run) => ({ run, found: await targetsOfRun(db, run) })));
  return targets.flatMap(({ run, found }) =>
    found.flatMap((target) => {
      const waiting = proposals.filter(({ runId, rule }) => runId === run && rule === target.rule).length;
      return waiting === 0 || target.customerId !== undefined ? [] : [{ ...target, waiting }];
    }),
  );
}
