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
import { intentsById, undosMade } from '../storage/records/budgets/intent-table.ts';
import { proposalsByCode } from '../storage/records/budgets/proposal-table.ts';
import type { StateDb } from '../storage/records/record-store.ts';
import { type Account, allAccounts } from '../storage/records/runs/account-table.ts';
import { BUDGETS_HISTORY, type BudgetHistory, type ShownForeignChange, showingForeign } from './budgets-history.ts';
import { PROPOSAL_COLUMNS } from './budgets-list.ts';
import { DECISION_COLUMNS } from './decision-columns.ts';
import { type Part, part } from './kit/listing.ts';

export interface LogEntry extends LogRow {
  /** An event of the whole record, such as a freeze. */
  readonly event?: BudgetEvent | undefined;
  /** All its events, oldest first. */
  readonly steps: readonly LogStep[];
  readonly change?: ShownChange | undefined;
  readonly foreign?: ShownForeignChange | undefined;
  /** Also that of an approved change. */
  readonly proposal?: ShownProposal | undefined;
  /** A refusal or a suggestion. */
  readonly decision?: RecordedDecision | undefined;
}

interface LogStep extends Pick<BudgetEvent, 'id' | 'kind' | 'actor' | 'createdAt'> {
  /** The reason of the person who acted. */
  readonly why: string | undefined;
}

/** Rules refuse and suggest in each run. So these entries appear only if somebody asks for them. */
export const QUIET_KINDS: readonly LogKind[] = ['refusal', 'suggestion'];
export const SHOWN_KINDS = LOG_KINDS.filter((kind) => !QUIET_KINDS.includes(kind));

/** Databases limit the values of a query. */
const AT_ONCE = 1000;

/** With `isBrief`, an entry has only the events that begin or decide it, because a file has thousands of entries. */
export async function logEntries(
  db: StateDb,
  accounts: readonly Account[],
  rows: readonly LogRow[],
  isBrief = false,
): Promise<LogEntry[]> {
  const undos = await undosMade(db);
  const entries: LogEntry[] = [];
  for (let first = 0; first < rows.length; first += AT_ONCE) {
    entries.push(...(await someEntries(db, { accounts, undos, isBrief }, rows.slice(first, first + AT_ONCE))));
  }
  return entries;
}

interface Known {
  readonly accounts: readonly Account[];
  readonly undos: Awaited<ReturnType<typeof undosMade>>;
  readonly isBrief: boolean;
}

async function someEntries(
  db: StateDb,
  { accounts, undos, isBrief }: Known,
  rows: readonly LogRow[],
): Promise<LogEntry[]> {
  const named = accountNames(accounts);
  const seen = showingForeign(accounts);
  const eventIds = rows.map(({ eventId }) => eventId);
  const intentIds = rows.flatMap(({ intentId, kind }) => (kind === 'elsewhere' ? [] : (intentId ?? [])));
  const codes = rows.flatMap(({ proposalCode }) => proposalCode ?? []);
  const proposals = new Map((await some(codes, (all) => proposalsByCode(db, all))).map((one) => [one.code, one]));
  const asked = await some(codes, (all) => eventsOfRequests(db, all));
  const changes = new Map((await some(intentIds, (all) => intentsById(db, all))).map((one) => [one.id, one]));
  const foreign = new Map((await foreignChangesSeen(db, eventIds)).map((one) => [one.eventId, one]));
  const decisions = new Map((await decisionsOfEvents(db, eventIds)).map((one) => [one.eventId, one]));
  const events = await eventsAmong(db, [...eventIds, ...asked], intentIds, isBrief ? ['approved'] : undefined);
  const facts = new Map(events.map((event) => [event.id, factsOf(event)]));
  const stepsOf = Map.groupBy(events, ({ id, intentId }) =>
    intentId === undefined ? (textIn(facts.get(id), 'proposal_code') ?? '') : changeKey(intentId),
  );
  const byId = new Map(events.map((event) => [event.id, event]));
  const stepOf = ({ id, kind, actor, createdAt }: BudgetEvent): LogStep => {
    const why = kind === 'proposal_expired' ? undefined : textIn(facts.get(id), 'why');
    return { id, kind, actor, createdAt, why };
  };
  return rows.flatMap((row): LogEntry[] => {
    const { eventId, kind, intentId, proposalCode } = row;
    const event = byId.get(eventId);
    if (event === undefined) return [];
    const intent = kind === 'elsewhere' || intentId === undefined ? undefined : changes.get(intentId);
    const proposal = proposalCode === undefined ? undefined : proposals.get(proposalCode);
    const other = foreign.get(eventId);
    const decision = QUIET_KINDS.includes(kind) ? decisions.get(eventId) : undefined;
    const keys = [intent && changeKey(intent.id), proposalCode].filter((key) => key !== undefined);
    const own = keys.flatMap((key) => stepsOf.get(key) ?? []);
    const steps = (own.length === 0 ? [event] : own.toSorted((one, two) => (one.id < two.id ? -1 : 1))).map(stepOf);
    const why = steps.findLast((step) => step.why !== undefined)?.why;
    const account = intent && named(intent);
    const beyondLimits = textIn(facts.get(eventId), 'beyond_limits');
    return [
      {
        ...row,
        event: (intent ?? proposal ?? other ?? decision) === undefined ? event : undefined,
        steps,
        change: account && { ...account, undoneBy: undos.get(account.id), beyondLimits, why },
        foreign: other && seen(other),
        proposal: proposal && { ...named(proposal), why },
        decision,
      },
    ];
  });
}

/** No code of a proposal contains a space. */
const changeKey = (id: bigint) => `change ${id}`;

/** An empty list is no valid SQL on each engine. */
async function some<Id, Row>(ids: readonly Id[], read: (ids: readonly Id[]) => Promise<Row[]>): Promise<Row[]> {
  return ids.length === 0 ? [] : read(ids);
}

type Facts = Readonly<Record<string, unknown>>;

const factsOf = ({ detail }: BudgetEvent) => (parseJson(detail) ?? {}) as Facts;

/** Undefined for an empty text, too. */
function textIn(facts: Facts | undefined, name: string): string | undefined {
  const value = facts?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export interface LogParts extends BudgetHistory {
  readonly requests: readonly ShownProposal[];
  readonly decisions: readonly RecordedDecision[];
}

export function partsOfLog(entries: readonly LogEntry[], about: Pick<BudgetHistory, 'frozen' | 'accounts'>): LogParts {
  const proposals = (wanted: LogKind) =>
    entries.flatMap(({ kind, proposal }) => (kind === wanted ? (proposal ?? []) : []));
  return {
    ...about,
    changes: entries.flatMap(({ change }) => change ?? []),
    foreign: entries.flatMap(({ foreign }) => foreign ?? []),
    rejections: proposals('rejection'),
    events: entries.flatMap(({ event }) => event ?? []),
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
  return partsOfLog(await logEntries(db, accounts, rows, true), { frozen, accounts });
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
