import type { Frozen } from '../domain/frozen.ts';
import { shortLine } from '../domain/outside-text.ts';
import { parseJson } from '../domain/parse-json.ts';
import { accountNames, CREATED_AT, type ShownChange, type ShownProposal } from '../storage/columns/budget-columns.ts';
import { filled } from '../storage/columns/column.ts';
import {
  LOG_KINDS,
  type LogFilter,
  type LogKind,
  type LogRow,
  logRows,
} from '../storage/records/budgets/change-log.ts';
import {
  decisionsOfEvents,
  eventsOfRequests,
  type RecordedDecision,
} from '../storage/records/budgets/decision-table.ts';
import { type BudgetEvent, eventsAmong } from '../storage/records/budgets/event-table.ts';
import { foreignChangesSeen } from '../storage/records/budgets/foreign-change-table.ts';
import { intentsById } from '../storage/records/budgets/intent-table.ts';
import { proposalsByCode } from '../storage/records/budgets/proposal-table.ts';
import type { StateDb } from '../storage/records/record-store.ts';
import { type Account, allAccounts } from '../storage/records/runs/account-table.ts';
import {
  BUDGETS_HISTORY,
  type BudgetHistory,
  type ShownForeignChange,
  showingChanges,
  showingForeign,
} from './budgets-history.ts';
import { PROPOSAL_COLUMNS } from './budgets-list.ts';
import { DECISION_COLUMNS } from './decision-columns.ts';
import { type Part, part } from './kit/listing.ts';

export interface LogEntry extends LogRow {
  readonly event: BudgetEvent;
  /** All its events, oldest first. */
  readonly steps: readonly BudgetEvent[];
  readonly change?: ShownChange | undefined;
  readonly foreign?: ShownForeignChange | undefined;
  /** Also that of an approved change. */
  readonly proposal?: ShownProposal | undefined;
  /** A refusal or a suggestion. */
  readonly decision?: RecordedDecision | undefined;
}

/** Rules refuse and suggest in each run. So these entries appear only if somebody asks for them. */
export const QUIET_KINDS: readonly LogKind[] = ['refusal', 'suggestion'];
export const SHOWN_KINDS = LOG_KINDS.filter((kind) => !QUIET_KINDS.includes(kind));

/** Databases limit the values of a query. */
const AT_ONCE = 1000;

export async function logEntries(
  db: StateDb,
  accounts: readonly Account[],
  rows: readonly LogRow[],
): Promise<LogEntry[]> {
  const shown = await showingChanges(db, accounts);
  const entries: LogEntry[] = [];
  for (let first = 0; first < rows.length; first += AT_ONCE) {
    entries.push(...(await someEntries(db, { accounts, shown }, rows.slice(first, first + AT_ONCE))));
  }
  return entries;
}

async function someEntries(
  db: StateDb,
  {
    accounts,
    shown,
  }: { readonly accounts: readonly Account[]; readonly shown: Awaited<ReturnType<typeof showingChanges>> },
  rows: readonly LogRow[],
): Promise<LogEntry[]> {
  const named = accountNames(accounts);
  const eventIds = rows.map(({ eventId }) => eventId);
  const intentIds = rows.flatMap(({ intentId, kind }) => (kind === 'elsewhere' ? [] : (intentId ?? [])));
  const codes = rows.flatMap(({ proposalCode }) => proposalCode ?? []);
  const proposals = new Map((await some(codes, (some) => proposalsByCode(db, some))).map((one) => [one.code, one]));
  const asked = await some(codes, (some) => eventsOfRequests(db, some));
  const changes = new Map((await some(intentIds, (some) => intentsById(db, some))).map((one) => [one.id, one]));
  const foreign = new Map((await foreignChangesSeen(db, eventIds)).map((one) => [one.eventId, one]));
  const decisions = new Map((await decisionsOfEvents(db, eventIds)).map((one) => [one.eventId, one]));
  const events = await eventsAmong(db, [...eventIds, ...asked], intentIds);
  const stepsOf = Map.groupBy(events, (event) =>
    event.intentId === undefined ? (proposalOf(event) ?? '') : changeKey(event.intentId),
  );
  const byId = new Map(events.map((event) => [event.id, event]));
  return rows.flatMap((row): LogEntry[] => {
    const { eventId, kind, intentId, proposalCode } = row;
    const event = byId.get(eventId);
    if (event === undefined) return [];
    const intent = kind === 'elsewhere' || intentId === undefined ? undefined : changes.get(intentId);
    const proposal = proposalCode === undefined ? undefined : proposals.get(proposalCode);
    const seen = foreign.get(eventId);
    const decision = decisions.get(eventId);
    const keys = [intent && changeKey(intent.id), proposalCode].filter((key) => key !== undefined);
    const own = keys.flatMap((key) => stepsOf.get(key) ?? []);
    const steps = own.length === 0 ? [event] : own.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const why = steps.map(personsReason).findLast((reason) => reason !== undefined);
    return [
      {
        ...row,
        event,
        steps,
        change: intent && { ...shown(intent), why },
        foreign: seen && showingForeign(accounts)(seen),
        proposal: proposal && { ...named(proposal), why },
        decision: QUIET_KINDS.includes(kind) ? decision : undefined,
      },
    ];
  });
}

/** No code of a proposal contains a space. */
const changeKey = (id: bigint) => `change ${id}`;

/** PostgreSQL refuses an empty list. */
async function some<Id, Row>(ids: readonly Id[], read: (ids: readonly Id[]) => Promise<Row[]>): Promise<Row[]> {
  return ids.length === 0 ? [] : read(ids);
}

const factsOf = ({ detail }: BudgetEvent) => (parseJson(detail) ?? {}) as { readonly [Name in string]?: unknown };

function proposalOf(event: BudgetEvent): string | undefined {
  const { proposal_code: code } = factsOf(event);
  return typeof code === 'string' ? code : undefined;
}

/** The reason of the person who approved or rejected, or froze budgets. */
export function personsReason(event: BudgetEvent): string | undefined {
  const { why } = factsOf(event);
  return typeof why === 'string' && why !== '' && event.kind !== 'proposal_expired' ? why : undefined;
}

export interface LogParts extends BudgetHistory {
  readonly requests: readonly ShownProposal[];
  readonly decisions: readonly RecordedDecision[];
}

export function partsOfLog(entries: readonly LogEntry[], about: Pick<BudgetHistory, 'frozen' | 'accounts'>): LogParts {
  const proposals = (wanted: LogKind) =>
    entries.flatMap(({ kind, proposal }) => (kind === wanted ? (proposal ?? []) : []));
  const isOfRecord = ({ change, foreign, proposal, decision }: LogEntry) =>
    change === undefined && foreign === undefined && proposal === undefined && decision === undefined;
  return {
    ...about,
    changes: entries.flatMap(({ change }) => change ?? []),
    foreign: entries.flatMap(({ foreign }) => foreign ?? []),
    rejections: proposals('rejection'),
    events: entries.filter(isOfRecord).map(({ event }) => event),
    requests: proposals('request'),
    decisions: entries.flatMap(({ decision }) => decision ?? []),
  };
}

/** The parts of the history, requests that no person decided, refusals and suggestions. */
export const LOG_PARTS: readonly Part<LogParts>[] = [
  ...(BUDGETS_HISTORY.parts as readonly Part<LogParts>[]),
  part<LogParts, ShownProposal>({
    row: 'request',
    title: 'Requests',
    columns: PROPOSAL_COLUMNS,
    rows: ({ requests }) => requests,
    at: ({ createdAt, decidedAt = createdAt }) => decidedAt,
  }),
  part<LogParts, RecordedDecision>({
    row: 'decision',
    title: 'Refusals and suggestions',
    columns: [...DECISION_COLUMNS, filled(CREATED_AT, ({ at }: RecordedDecision) => at)],
    rows: ({ decisions }) => decisions,
    at: ({ at }) => at,
  }),
];

/** `budgets history` lists no requests, because `budgets list` does. */
const HISTORY_KINDS = SHOWN_KINDS.filter((kind) => kind !== 'request');

export async function budgetHistory(
  db: StateDb,
  frozen: Frozen | undefined,
  { limit, ...filter }: Omit<LogFilter, 'kinds'> & { readonly limit: number },
): Promise<BudgetHistory> {
  const accounts = await allAccounts(db);
  const rows = await logRows(db, { ...filter, kinds: HISTORY_KINDS }, { limit });
  return partsOfLog(await logEntries(db, accounts, rows), { frozen, accounts });
}

const NAME_MAX = 80;

/** Sentences about a person or a rule without any entry. */
export async function unknownNames(db: StateDb, { by, rule }: Pick<LogFilter, 'by' | 'rule'>): Promise<string[]> {
  const isKnown = async (filter: LogFilter) => (await logRows(db, filter, { limit: 1 })).length > 0;
  const quoted = (name: string) => `“${shortLine(name, NAME_MAX)}”`;
  return [
    ...(by === undefined || (await isKnown({ by })) ? [] : [`The record has nothing by ${quoted(by)}.`]),
    ...(rule === undefined || (await isKnown({ rule })) ? [] : [`The record has nothing of a rule ${quoted(rule)}.`]),
  ];
}
