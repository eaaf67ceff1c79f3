import * as z from 'zod';
import { maskAddress } from '../../channels/channels.ts';
import type { Settings } from '../../config/settings.ts';
import { isMade } from '../../domain/budget-change.ts';
import { type CivilDate, civilDateAt, type DateRange, instantText } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import { firstLineOf } from '../../domain/outside-text.ts';
import type { StateApp } from '../../engine/app.ts';
import { killSwitch } from '../../engine/budgets/kill-switch.ts';
import { folderDecidesByValue } from '../../engine/folder-decides-by-value.ts';
import { nameOf, readText, ruleFilesIn } from '../../engine/load-inputs.ts';
import { conversionLags } from '../../engine/read/conversion-lag.ts';
import { coverage } from '../../engine/read/coverage.ts';
import { redactRows, redactTexts } from '../../engine/redact-texts.ts';
import { withPublished } from '../../engine/with-published.ts';
import { readYaml } from '../../language/yaml/read-yaml.ts';
import { lostRows } from '../../storage/records/alerts/lost-rows.ts';
import { listRows } from '../../storage/records/alerts/outbox-list.ts';
import {
  changesMadeSince,
  decisionsOfRun,
  decisionsRepeated,
  decisionsSince,
  type RecordedDecision,
} from '../../storage/records/budgets/decision-table.ts';
import { foreignChangesOf, type SeenForeignChange } from '../../storage/records/budgets/foreign-change-table.ts';
import { type Intent, intentsOf, openIntents } from '../../storage/records/budgets/intent-table.ts';
import { keptByHead } from '../../storage/records/budgets/kept-by-head.ts';
import { allProposals, openProposals, type Proposal } from '../../storage/records/budgets/proposal-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { lastReadings, lastReads, newestDecidingRun, type Reading } from '../../storage/records/runs/coverage-table.ts';
import { lastReport, pastRuns } from '../../storage/records/runs/run-history.ts';
import {
  daysOfTarget,
  lastReportSince,
  notesOfRun,
  reportsWithoutLedger,
  targetsOfRun,
} from '../../storage/records/runs/run-result-table.ts';
import type { PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { type StoredQuery, storedQueries } from '../../storage/warehouse/query-table.ts';
import { needsYou } from '../../views/report/needs-you.ts';
import {
  ALERTS_READ,
  type AlertFacts,
  type ForeignFacts,
  type ReportFacts,
  type TargetsFacts,
} from '../../views/report/report-facts.ts';
import { leadTarget } from '../../views/report/shared-targets.ts';
import { budgetNames, type NameBudget } from './budget-names.ts';
import { budgetTables, chooseTable, nearestTable, pageAccounts } from './page-accounts.ts';
import { type BudgetBooks, budgetBooks } from './page-budgets.ts';
import { type AccountNames, changesWithEffect } from './page-decisions.ts';
import { type ReportFilter, rangeOf } from './report-filter.ts';
import { topCampaigns } from './top-campaigns.ts';

const DAY_MS = 86_400_000;
const DECIDED_DAYS = 30;
const CHANGE_DAYS = 90;
const CHANGES_MAX = 40;
const FOREIGN_MAX = 500;
const RUNS_MAX = 20;

type PageSources = Pick<StateApp, 'settings' | 'clock' | 'state'>;

export async function gatherReport(sources: PageSources, filter?: ReportFilter): Promise<ReportFacts> {
  const facts = await withPublished(sources, (file) => gather(sources, file, filter));
  return redactReport(facts, sources.settings);
}

async function gather(
  sources: PageSources,
  file: PublishedData | undefined,
  filter: ReportFilter | undefined,
): Promise<ReportFacts> {
  const { settings, clock, state } = sources;
  const nowMs = clock.now();
  const queries = await storedQueries(state.db);
  const table = file && (await chooseTable(file, state.db, queries, nowMs));
  const newest = table === undefined ? undefined : await file?.newestComplete(table, filter?.customers ?? []);
  const range = filter && rangeOf(filter, newest ?? civilDateAt(nowMs, 'UTC'));
  const isRanged = filter?.from !== undefined || filter?.to !== undefined;
  const sinceDays = (days: number) =>
    isRanged && range ? `${range.from}T00:00:00Z` : instantText(nowMs - days * DAY_MS);
  const decided = await decidedOf(sources, file, sinceDays(DECIDED_DAYS));
  const decisions = await decisionsIn(sources);
  const books = await booksOf(sources, file, queries, decided);
  const lastReadOf = await lastReads(state.db);
  const tables = budgetTables(queries);
  const results = table === undefined ? undefined : await file?.resultsIn(table);
  const byValue = results?.includes('conversions_value') === true && (await folderDecidesByValue(settings, nowMs));
  const { accounts, leftOut } =
    file === undefined || table === undefined
      ? { accounts: [], leftOut: 0 }
      : await pageAccounts(file, table, books, {
          settings,
          nowMs,
          lastReadOf,
          lagsOf: (read) => conversionLags(state.db, settings, table, read),
          budgetTables: tables.budgets,
          filter,
          range,
          byValue,
        });
  const lastRun = await lastRunOf(state.db);
  // Without notes, the run died or broke off, and its failures name no change.
  const recordedNotes = lastRun && (await notesOfRun(state.db, lastRun.id));
  const decidingRun = await newestDecidingRun(state.db);
  const days = new Map(accounts.map((account) => [account.customerId, account.days]));
  const { named } = books;
  const isShown = chosenBy(filter, books, isRanged ? range : undefined);
  const isSubject = chosenBy(filter, books, undefined);
  const made = (await decisions.made(sinceDays(CHANGE_DAYS))).filter(isShown);
  const targets = await targetsOf(state.db, decided.since);
  const seen = await foreignChangesOf(state.db, { limit: FOREIGN_MAX });
  const waiting = {
    proposals: (await openProposals(state.db, nowMs)).map(named),
    open: (await openIntents(state.db)).filter((one) => !(recordedNotes && isLeftBy(one, lastRun))).map(named),
    lost: (await lostRows(state.db)).filter(({ lostAt }) => !isOfRun(lostAt, lastRun)),
  };
  return {
    asOf: await file?.newestReading(table),
    writtenAt: instantText(nowMs),
    range: filter &&
      range && {
        ...filter,
        range,
        isChosen: isRanged,
        ...(await topCampaigns(file, table, accounts, filter, range, byValue)),
      },
    target: lastRun?.target ?? file?.target,
    // The process may have started before an edit of the settings.
    mode: lastRun?.mode ?? settings.automation.mode,
    frozen: await killSwitch({ state, clock }, settings.paths.data).standing(),
    lastRun,
    decidingRun,
    notes: notesOf(settings, lastRun, recordedNotes),
    table,
    nearest: table === undefined && file ? nearestTable(queries) : undefined,
    budgetTables: tables,
    accounts,
    accountsLeftOut: leftOut,
    lastDecisions: decidingRun === undefined ? [] : (await decisions.ofRun(decidingRun)).filter(isSubject).map(named),
    decisions: (await decisions.since(decided.since)).filter(isShown).map(named),
    runsWithoutRefusals: await reportsWithoutLedger(state.db, decided.since),
    ruleTexts: ruleTextsIn(settings.paths),
    targets: targets && (await shownTargets(state.db, targets, filter)),
    changes: await changesWithEffect(
      made.slice(0, CHANGES_MAX).map(named),
      decided.intents,
      seen,
      file && table !== undefined ? { file, query: table, books, days } : undefined,
    ),
    changesLeftOut: Math.max(0, made.length - CHANGES_MAX),
    foreign: (await foreignOf(seen, file, decided)).filter(isShown).map(named),
    needs: needsYou(waiting, (one) => isOfAccount(filter, one.customerId)),
    needsElsewhere: needsYou(waiting, (one) => !isOfAccount(filter, one.customerId)).length,
    runs: await pastRuns(state.db, { limit: RUNS_MAX }),
    coverage: (await coverage(sources)).filter(({ customerId }) => isOfAccount(filter, customerId)),
    alerts: await alertsOf(state.db, decided.since, filter, isRanged ? range : undefined),
  };
}

/** The failures of a run say which changes it made or checked, and left open. */
function isLeftBy({ runId, createdAt, updatedAt }: Intent, run: NonNullable<ReportFacts['lastRun']>): boolean {
  return (runId === run.id || createdAt < run.startedAt) && isOfRun(updatedAt, run);
}

/** The failures of the run say what it lost. */
function isOfRun(at: string | undefined, run: ReportFacts['lastRun']): boolean {
  return at !== undefined && run !== undefined && at >= run.startedAt && at <= (run.endedAt ?? at);
}

function isOfAccount(filter: ReportFilter | undefined, customer: CustomerId | undefined): boolean {
  const customers = filter?.customers ?? [];
  return customers.length === 0 || (customer !== undefined && customers.includes(customer));
}

interface OnRecord {
  readonly customerId: CustomerId;
  readonly budgetId?: BudgetId | undefined;
  readonly campaignId?: CampaignId | undefined;
  readonly accountDay: CivilDate;
}

function chosenBy(filter: ReportFilter | undefined, books: BudgetBooks, range: DateRange | undefined) {
  const { campaigns = [] } = filter ?? {};
  return ({ customerId, budgetId, campaignId, accountDay: day }: OnRecord): boolean => {
    if (!isOfAccount(filter, customerId) || (range && (day < range.from || day > range.to))) return false;
    const own = [campaignId, ...(budgetId === undefined ? [] : books.campaignsOf(customerId, budgetId))];
    return campaigns.length === 0 || own.some((one) => one !== undefined && campaigns.includes(one));
  };
}

interface Decided {
  readonly intents: readonly Intent[];
  readonly proposals: readonly Proposal[];
  readonly names: AccountNames;
  /** In UTC. */
  readonly since: string;
}

/** Keeps the rows of whole months (UTC), because the time of a page is always another. */
async function decisionsIn({ settings, state }: PageSources) {
  const { db } = state;
  // Rows contain names and time zones of accounts, which change without an event.
  const accounts = (await allAccounts(db)).map(({ customerId, name, timeZone }) => [customerId, name, timeZone]);
  const kept = (what: string, read: () => Promise<RecordedDecision[]>) =>
    keptByHead(settings, state, JSON.stringify([what, accounts]), async () => redactRows(await read(), settings));
  const since = async (what: string, instant: string, read: typeof decisionsSince) => {
    const month = `${instant.slice(0, 7)}-01T00:00:00Z`;
    return (await kept(`${what} ${month}`, () => read(db, month))).filter(({ at }) => at >= instant);
  };
  return {
    since: (instant: string) => since('decisions', instant, decisionsSince),
    made: (instant: string) => since('made', instant, changesMadeSince),
    /** A run repeats decisions without an event. */
    ofRun: async (run: bigint) => kept(`run ${run} ${await decisionsRepeated(db, run)}`, () => decisionsOfRun(db, run)),
  };
}

async function decidedOf(
  { settings, state }: PageSources,
  file: PublishedData | undefined,
  since: string,
): Promise<Decided> {
  const named = (await allAccounts(state.db)).map((account) => [account.customerId, account.name] as const);
  const published = ((await file?.accounts()) ?? []).map(({ customerId, name }) => [customerId, name] as const);
  return {
    ...(await decidedBudgets(settings, state)),
    names: new Map([...named, ...published].map(([id, name]) => [id, name ?? id])),
    since,
  };
}

/** Newest changes first, oldest proposals first. */
export async function decidedBudgets(settings: Settings, state: PageSources['state']) {
  return {
    intents: await keptByHead(settings, state, 'intents', () => intentsOf(state.db)),
    proposals: await keptByHead(settings, state, 'proposals', () => allProposals(state.db)),
  };
}

export async function booksOf(
  { settings, state }: Pick<PageSources, 'settings' | 'state'>,
  file: PublishedData | undefined,
  queries: readonly StoredQuery[],
  { intents, proposals }: Pick<Decided, 'intents' | 'proposals'>,
): Promise<BudgetBooks & { readonly named: NameBudget }> {
  const listed = (await file?.budgets(queries)) ?? [];
  const readings = new Map<string, ReadonlyMap<CustomerId, Reading>>();
  for (const table of new Set(listed.map(({ table: name }) => name))) {
    readings.set(table, await lastReadings(state.db, table));
  }
  const changed = intents.filter(isMade).toReversed();
  const books = budgetBooks({ listed, readings, settings, changed, links: [...intents, ...proposals] });
  return { ...books, named: await budgetNames(file, listed) };
}

async function targetsOf(db: StateDb, since: string): Promise<TargetsFacts | undefined> {
  const run = await lastReportSince(db, since);
  const rows = run === undefined ? [] : await targetsOfRun(db, run.id);
  return run === undefined || rows.length === 0 ? undefined : { runId: run.id, at: run.at, rows };
}

async function shownTargets(
  db: StateDb,
  targets: TargetsFacts,
  filter: ReportFilter | undefined,
): Promise<TargetsFacts> {
  const rows = targets.rows.filter((row) => [row.customerId, ...row.members].some((one) => isOfAccount(filter, one)));
  const lead = leadTarget(rows);
  if (lead === undefined) return { ...targets, rows };
  const days = await daysOfTarget(db, targets.runId, targets.rows.indexOf(lead));
  return { ...targets, rows, lead: { ...lead, days } };
}

async function foreignOf(
  seen: readonly SeenForeignChange[],
  file: PublishedData | undefined,
  { intents, names, since }: Decided,
): Promise<ForeignFacts[]> {
  const currencies = new Map((await file?.accounts())?.map(({ customerId, currency }) => [customerId, currency]));
  const subjects = new Map(intents.map((intent) => [`${intent.customerId} ${intent.budgetId}`, intent.campaignName]));
  return seen
    .filter(({ seenAt }) => seenAt >= since)
    .map((change) => ({
      ...change,
      accountName: names.get(change.customerId),
      campaignName: subjects.get(`${change.customerId} ${change.budgetId}`),
      currency: currencies.get(change.customerId),
    }));
}

function notesOf(
  settings: Settings,
  lastRun: ReportFacts['lastRun'],
  recorded: readonly string[] | undefined,
): string[] {
  const notes: string[] = [];
  if ((lastRun?.targetKind ?? settings.target) === 'sandbox') {
    notes.push(
      'The numbers come from the sandbox, a simulated service. No real money was spent, and no real budget was changed.',
    );
  }
  if (recorded === undefined && settings.sandbox.market !== undefined) {
    notes.push('The market is replayed from a file. If the file has no costs, all costs shown are simulated.');
  }
  const more = recorded ?? settings.notes;
  return [...new Set([...notes, ...more])];
}

async function lastRunOf(db: StateDb): Promise<ReportFacts['lastRun']> {
  const run = await lastReport(db);
  if (run === undefined) return undefined;
  const { error, ...ran } = run;
  return { ...ran, failures: error?.split('\n') ?? [] };
}

async function alertsOf(
  db: StateDb,
  since: string,
  filter: ReportFilter | undefined,
  range: DateRange | undefined,
): Promise<AlertFacts[]> {
  const rows = await listRows(db, { states: ALERT_STATES, toldSinceMs: Date.parse(since), limit: ALERTS_READ });
  return rows
    .reverse()
    .filter(({ customerId }) => isOfAccount(filter, customerId))
    .filter(({ createdAt }) => range === undefined || createdAt.slice(0, 10) <= range.to)
    .map(({ alertId, occasion, createdAt, acceptedAt, severity, channel, recipient, state: sent, text }) => ({
      alert: `${alertId} ${occasion}`,
      at: acceptedAt ?? createdAt,
      severity,
      channel,
      state: sent,
      recipient: recipient && maskAddress(channel, recipient),
      text: firstLineOf(text),
    }));
}

const ALERT_STATES = ['pending', 'sending', 'accepted', 'delivered', 'failed', 'unknown'] as const;

const described = z.looseObject({ description: z.string().optional().catch(undefined) });

/** Descriptions of rules and targets. Skips unreadable files, because `pacekeeper check` explains them. */
export function ruleTextsIn({
  rules,
  targets,
}: Pick<Settings['paths'], 'rules' | 'targets'>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const file of [rules, targets].flatMap((folder) => ruleFilesIn(folder) ?? [])) {
    const reading = readText(file);
    const rule = reading.kind === 'ok' ? readYaml(reading.source, described) : undefined;
    if (rule?.kind !== 'ok') continue;
    const text = rule.value.description?.trim() ?? '';
    if (text !== '') texts.set(nameOf(file), text);
  }
  return texts;
}

/** Redacts texts, because services could return secrets. Numbers of days are many, and have none. */
export function redactReport({ accounts, range, ...rest }: ReportFacts, settings: Settings): ReportFacts {
  const said = accounts.map(({ name, lastRead, oldBudgets, campaigns }) => ({
    own: { name, lastRead, oldBudgets },
    campaigns: campaigns?.map((one) => one.name),
  }));
  const shown = redactTexts({ rest, said, top: range?.top.map(({ name }) => name) }, settings);
  return {
    ...shown.rest,
    range: range && { ...range, top: range.top.map((one, place) => ({ ...one, name: shown.top?.[place] })) },
    accounts: accounts.map((account, index) => ({
      ...account,
      ...shown.said[index]?.own,
      campaigns: account.campaigns?.map((one, place) => ({ ...one, name: shown.said[index]?.campaigns?.[place] })),
    })),
  };
}
