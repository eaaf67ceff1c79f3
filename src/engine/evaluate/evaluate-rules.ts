import pMap from 'p-map';
import { boundsOfAccount, holidaysOf } from '../../config/of-account.ts';
import type { PastChange } from '../../domain/budget-change.ts';
import {
  addDays,
  type CivilDate,
  civilDateAt,
  daysBetween,
  hourAt,
  instantText,
  startOfDayMs,
} from '../../domain/civil-date.ts';
import { ApiError, explainFailure } from '../../domain/errors.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import type { Member, MemberGrain } from '../../domain/member.ts';
import { highestOf, type Micros } from '../../domain/micros.ts';
import { grouped } from '../../domain/wording.ts';
import type { RuleResult } from '../../language/results/report-result.ts';
import { highestOn } from '../../language/rules/decide/account-totals.ts';
import { decideChanges } from '../../language/rules/decide/decide-changes.ts';
import type {
  AccountFacts,
  BudgetFacts,
  Decision,
  RejectedProposal,
  Verdict,
} from '../../language/rules/decide/decision.ts';
import { wholePlans } from '../../language/rules/decide/whole-plans.ts';
import { usesLabels } from '../../language/rules/evaluate/collect-values.ts';
import {
  answersOf,
  demandsOf,
  evaluateRules as evaluateTable,
  type RuleEvaluation,
} from '../../language/rules/evaluate/evaluate-rules.ts';
import type { EvaluatedAccount, LabelsByName } from '../../language/rules/evaluate/evaluated-account.ts';
import type { Keep } from '../../language/rules/evaluate/ledger.ts';
import type { AccountPart, OfTargets } from '../../language/rules/pacing/evaluate-pace.ts';
import { LEARNED_DAYS } from '../../language/rules/pacing/plan-pace.ts';
import { daysKey, type Rule } from '../../language/rules/rule.ts';
import type { ExchangeRate } from '../../language/targets/exchange-rates.ts';
import { type Asked, ruleInAccount, type Target } from '../../language/targets/target.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { CHANGE_DAYS_MAX, readBudgetChanges, readLabels } from '../../services/ads/read-account.ts';
import { type ForeignChange, recordForeignChange } from '../../storage/records/budgets/foreign-change-table.ts';
import { decidedOn, intentsOf, openIntents, unprovenRefusals } from '../../storage/records/budgets/intent-table.ts';
import { changesSince, lastSet } from '../../storage/records/budgets/past-changes.ts';
import { openProposals, rejectedSince } from '../../storage/records/budgets/proposal-table.ts';
import { keepReadings } from '../../storage/records/budgets/reading-table.ts';
import { dayReadMs, settledDays } from '../../storage/records/runs/account-days.ts';
import {
  type Account,
  changesReadFrom,
  currencySince,
  noteChangesRead,
} from '../../storage/records/runs/account-table.ts';
import { type TestFinding, testFindings } from '../../storage/records/runs/data-test-table.ts';
import { ModelFailure } from '../../storage/warehouse/models/model-failure.ts';
import type { ModelRows } from '../../storage/warehouse/store.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { mayHaveBeenSent } from '../budgets/budget-deps.ts';
import { compareWithRecord, expectedAmounts, writeDown } from '../budgets/compare-budgets.ts';
import { type BudgetBook, readBudgets } from '../budgets/read-budgets.ts';
import { GIVEN_AT_ONCE } from '../queue/shared-work.ts';
import { calendarOfReads, calendarOfRule, completeBy, lastSettledDay } from '../read/day-state.ts';
import { type DatedAccount, decideTargets } from './decide-targets.ts';
import { type DataErrors, errorsIn, stoppedBy } from './test-data.ts';

export interface AccountDecisions {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly timeZone: string;
  readonly declared: ReadonlyMap<BudgetId, Micros>;
  readonly campaigns: BudgetBook['byCampaign'];
  readonly decisions: readonly Decision[];
}

export interface Evaluation<Kept = Verdict> {
  readonly rules: readonly RuleResult[];
  readonly accounts: readonly AccountDecisions[];
  readonly verdicts: readonly Kept[];
  readonly failures: readonly string[];
}

export interface EvaluationOptions<Kept> {
  /** If true, budget changes by others are not recorded. */
  readonly dryRun: boolean;
  /** Also returns verdicts for which this function is true. Fired verdicts are always returned. */
  readonly keep?: Keep;
  /** Selects what is returned of a verdict. A whole verdict holds all numbers of its account in memory. */
  take(verdict: Verdict): Kept;
  /** Findings of the tests of data. Default: those of the last run. */
  readonly findings?: readonly TestFinding[] | undefined;
  /** Paced together with the rules. */
  readonly targets?: readonly Target[] | undefined;
  readonly rates?: readonly ExchangeRate[] | undefined;
  /** Lets other processes evaluate accounts too. `here` does it in this process. */
  readonly share?:
    | ((account: RunAccount, here: () => Promise<Evaluation<Kept>>) => Promise<Evaluation<Kept>>)
    | undefined;
}

export const wholeVerdict = (verdict: Verdict): Verdict => verdict;

const NOTHING = { rules: [], accounts: [], verdicts: [], failures: [] };

export type EvaluatingApp = Pick<App, 'settings' | 'clock' | 'log' | 'state' | 'killSwitch'>;

/** Says budgets without a request, as they were last read. */
export type ReadRecorded = (account: DatedAccount) => Promise<AccountReading>;

/** Evaluates each account over its own complete days. */
export async function evaluateRules<Kept>(
  app: EvaluatingApp,
  ads: AdsConnection | ReadRecorded,
  rules: readonly Rule[],
  accounts: readonly RunAccount[],
  options: EvaluationOptions<Kept>,
): Promise<Evaluation<Kept>> {
  const { targets = [] } = options;
  if (rules.length === 0 && targets.length === 0) return NOTHING;
  const readable = accounts.filter(({ failure }) => failure === undefined);
  const findings = options.findings ?? (await testFindings(app.state.db));
  const models = app.state.warehouse.modelRows(app.settings.models);
  try {
    const readings = new Map<CustomerId, AccountReading | string>();
    const decided = await decideTargets(targets, accounts, {
      rates: options.rates ?? [],
      nowMs: app.clock.now(),
      concurrency: app.settings.extract.concurrency,
      ask: async (account, own, today) => {
        const reading = await readAccount(app, ads, [...rules, ...own], account);
        readings.set(account.customerId, reading);
        return typeof reading === 'string'
          ? new Map(own.map(({ name }) => [name, reading]))
          : askAccount(app, own, account, reading, today, { models, findings });
      },
    });
    const { share = (_account, here) => here() } = options;
    const evaluate = (account: RunAccount) => {
      const ofTargets = decided.get(account.customerId);
      const parts = targets.flatMap((target) => target.rules.get(account.customerId) ?? []);
      const own = [...rules, ...parts.map((rule) => ruleInAccount(rule, ofTargets))];
      const reading = readings.get(account.customerId);
      const here = () => evaluateAccount(app, ads, own, account, { ...options, findings, models, ofTargets, reading });
      // Other processes do not know what was decided together.
      return ofTargets === undefined ? share(account, here) : here();
    };
    const concurrency = options.share ? GIVEN_AT_ONCE : app.settings.extract.concurrency;
    const evaluations = await pMap(readable, evaluate, { concurrency });
    const whole = wholePlans(evaluations.flatMap(({ accounts }) => accounts.flatMap(({ decisions }) => decisions)));
    return {
      rules: evaluations.flatMap((one) => one.rules),
      accounts: evaluations.flatMap(({ accounts }) =>
        accounts.map((account) => ({ ...account, decisions: account.decisions.map(whole) })),
      ),
      verdicts: evaluations.flatMap(({ verdicts }) => verdicts),
      // The same model can fail in every account, so duplicate failures are removed.
      failures: [...new Set(evaluations.flatMap(({ failures }) => failures))],
    };
  } finally {
    models.close();
  }
}

async function evaluateAccount<Kept>(
  app: EvaluatingApp,
  ads: AdsConnection | ReadRecorded,
  rules: readonly Rule[],
  account: RunAccount,
  options: EvaluationOptions<Kept> & {
    readonly findings: readonly TestFinding[];
    readonly models: ModelRows;
    readonly ofTargets: OfTargets | undefined;
    /** The reading that the targets were decided with. */
    readonly reading: AccountReading | string | undefined;
  },
): Promise<Evaluation<Kept>> {
  const { customerId, currency, timeZone } = account;
  const concerned = rules.filter((rule) => unconcerned(rule, account) === undefined);
  const left = rules.flatMap((rule) => leftAlone(rule, account));
  if (timeZone === undefined || concerned.length === 0) return { ...NOTHING, rules: left };
  const { dryRun, keep, models, findings, ofTargets } = options;
  const dated = { ...account, timeZone };
  const reading = options.reading ?? (await readAccount(app, ads, concerned, dated));
  if (typeof reading === 'string') return { ...NOTHING, failures: [reading] };
  const { book, labels } = reading;
  const facts = await factsOf(app, concerned, dated, reading, dryRun);
  const about = { book, labels, facts, ofTargets, errors: errorsIn(findings, customerId) };
  const { evaluated, failures } = await evaluateTables(app, concerned, timeZone, about, models, keep);
  const verdicts = [...evaluated.values()].flatMap((one) => (one.kind === 'evaluated' ? one.verdicts : []));
  const fired = verdicts.filter(({ truth }) => truth === 'true');
  const requests = fired.flatMap((verdict) => verdict.requests());
  const decisions = decideChanges(requests, facts, app.settings.automation.mode);
  const results = Array.from(evaluated, ([rule, one]) => ruleResult(rule, customerId, one));
  return {
    rules: [...results, ...left],
    accounts: [{ customerId, currency, timeZone, declared: book.declared, campaigns: book.byCampaign, decisions }],
    verdicts: verdicts.map(options.take),
    failures,
  };
}

async function askAccount(
  app: EvaluatingApp,
  rules: readonly Rule[],
  account: DatedAccount,
  reading: AccountReading,
  today: CivilDate,
  { models, findings }: { readonly models: ModelRows; readonly findings: readonly TestFinding[] },
): Promise<Asked> {
  const said = new Map<string, AccountPart>();
  const ofTargets: OfTargets = { kind: 'asked', say: (target, part) => said.set(target, part) };
  const facts = { ...(await factsOf(app, rules, account, reading, true)), today };
  const about = { ...reading, facts, ofTargets, errors: errorsIn(findings, account.customerId) };
  const { evaluated } = await evaluateTables(app, rules, account.timeZone, about, models);
  const since = await currencySince(app.state.db, account.customerId);
  const answers = answersOf(evaluated, said);
  if (since === undefined) return answers;
  const day = civilDateAt(Date.parse(since), account.timeZone);
  const needsOlder = ({ scene: { plan } }: AccountPart) => [plan.period.from, ...plan.recent].some((one) => one <= day);
  return new Map(
    Array.from(answers, ([name, part]) => [
      name,
      typeof part !== 'string' && ('part' in part ? needsOlder(part) : part.some((one) => one.since <= day))
        ? `its costs until ${day} are in another currency`
        : part,
    ]),
  );
}

/** The budgets and labels, as the service shows them now. */
export interface AccountReading {
  readonly book: BudgetBook;
  readonly labels: LabelsByName | undefined;
  readonly elsewhere: ChangedElsewhere;
}

/** Returns a failure's text if the service does not say enough. */
async function readAccount(
  app: EvaluatingApp,
  ads: AdsConnection | ReadRecorded,
  rules: readonly Rule[],
  account: DatedAccount,
): Promise<AccountReading | string> {
  if (typeof ads === 'function') return ads(account);
  const { customerId, timeZone } = account;
  const declared = app.settings.budgets.get(customerId) ?? new Map();
  const today = civilDateAt(app.clock.now(), timeZone);
  let asked = 'its budgets';
  try {
    const book = await readBudgets({ ads, db: app.state.db, clock: app.clock }, customerId, declared);
    asked = 'its labels';
    const labels = rules.some(usesLabels) ? await readLabels(ads, customerId) : undefined;
    asked = 'the history of its budgets';
    const days = daysLookedBack(rules);
    return { book, labels, elsewhere: await changedElsewhere(app, ads, book, customerId, { today, days }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const words = `${asked} could not be read, so no rule was evaluated`;
    return `Account ${customerId}: ${words}: ${explainFailure(error)}`;
  }
}

/** Read before the evaluation, because changes by others raise the possible cost of recent days. */
function factsOf(
  app: EvaluatingApp,
  rules: readonly Rule[],
  { customerId, currency, timeZone, budgetUnitMicros }: DatedAccount,
  { book, elsewhere }: AccountReading,
  dryRun: boolean,
): Promise<AccountFacts> {
  const today = civilDateAt(app.clock.now(), timeZone);
  const since = oldestAskedFor(app, rules, timeZone);
  return accountFacts(app, book, {
    customerId,
    currency,
    timeZone,
    budgetUnitMicros,
    today,
    since,
    rules,
    elsewhere,
    dryRun,
  });
}

interface ChangedElsewhere {
  /** Oldest first. */
  readonly changes: readonly ForeignChange[];
  /** The service's history of changes is now known from this day on. Undefined if it was not read. */
  readonly from: CivilDate | undefined;
}

export const NOTHING_ELSEWHERE: ChangedElsewhere = { changes: [], from: undefined };

/**
 * Changes by others in the service's history, back to the first day that a rule asks for. The history is read once, because
 * readings of the budgets show later changes. Budgets with changes on record are left out: an older change, recorded after
 * them, would look like the newest.
 */
async function changedElsewhere(
  { state: { db } }: EvaluatingApp,
  ads: AdsConnection,
  { amounts }: BudgetBook,
  customerId: CustomerId,
  { today, days }: { readonly today: CivilDate; readonly days: number },
): Promise<ChangedElsewhere> {
  const from = addDays(today, -Math.min(days, CHANGE_DAYS_MAX - 1));
  const known = await changesReadFrom(db, customerId);
  if ((known !== undefined && known <= from) || amounts.size === 0) return NOTHING_ELSEWHERE;
  const answer = await readBudgetChanges(ads, customerId, { from, to: today });
  if (answer === undefined) return { changes: [], from };
  const recorded = await lastSet(db, customerId);
  const own = await intentsOf(db, { customers: [customerId] });
  const changes = answer.flatMap(({ budgetId, day: accountDay, from: expected, to: found }) => {
    const isOwn = own.some((one) => one.budgetId === budgetId && one.from === expected && one.to === found);
    return recorded.has(budgetId) || isOwn ? [] : [{ customerId, budgetId, accountDay, expected, found }];
  });
  return { changes, from };
}

/** Minimum number of past days whose budget changes are read. */
const DAYS_MIN = 1;

/** The longest cooldown or drift of these rules. */
function daysLookedBack(rules: readonly Pick<Rule, 'limits'>[]): number {
  return Math.max(DAYS_MIN, ...rules.map(({ limits }) => Math.max(limits.cooldownDays ?? 0, limits.drift?.days ?? 0)));
}

/** Pacing rules need the 28 days up to the last complete day. */
function oldestAskedFor({ settings, clock }: EvaluatingApp, rules: readonly Rule[], timeZone: string): CivilDate {
  const days = rules.map((rule) => lastSettledDay(clock.now(), calendarOfReads(settings.extract, rule, timeZone)));
  return addDays(days.toSorted()[0] ?? civilDateAt(clock.now(), timeZone), 1 - LEARNED_DAYS);
}

/** Reads a table only once for all rules with the same table and days. */
async function evaluateTables(
  app: EvaluatingApp,
  rules: readonly Rule[],
  timeZone: string,
  {
    facts,
    book,
    labels,
    ofTargets,
    errors,
  }: Pick<AccountReading, 'book' | 'labels'> & {
    readonly facts: AccountFacts;
    readonly ofTargets: OfTargets | undefined;
    readonly errors: DataErrors;
  },
  models: ModelRows,
  keep: Keep = () => false,
): Promise<{ readonly evaluated: Map<Rule, RuleEvaluation>; readonly failures: readonly string[] }> {
  const { db, warehouse } = app.state;
  const { customerId, currency, today } = facts;
  const nowMs = app.clock.now();
  const found = new Map<Rule, RuleEvaluation>();
  const failures: string[] = [];
  for (const own of grouped(rules, daysKey)) {
    const [first] = own;
    if (!first) continue;
    const because = stoppedBy(errors, first);
    if (because !== undefined) {
      for (const rule of own) found.set(rule, { kind: 'not', reason: because });
      continue;
    }
    const calendar = calendarOfRule(app.settings, first, { customerId, timeZone });
    const known: ReadonlySet<CivilDate>[] = [];
    const todayRead: (number | undefined)[] = [];
    for (const query of first.reads) {
      known.push(await settledDays(db, query, customerId, completeBy(first, calendar)));
      todayRead.push(await dayReadMs(db, query, customerId, today));
    }
    const account: EvaluatedAccount = {
      customerId,
      currency,
      budgetUnit: facts.budgetUnit,
      today,
      budgets: book.byCampaign,
      unreadable: [...book.unreadable.values()],
      labels,
      lastSettled: lastSettledDay(nowMs, calendar),
      conversionDays: calendarOfRule(app.settings, { ...first, usesConversions: true }, { customerId, timeZone })
        .settleDays,
      settled: (day) => known.every((settled) => settled.has(day)),
      readToday: !todayRead.includes(undefined),
      hour: hourAt(nowMs, timeZone),
      // The clock's hour would compare hours that were not read.
      readHours: Math.min(...todayRead.map((ms) => (ms === undefined ? 0 : hourAt(ms, timeZone)))),
      holidays: holidaysOf(app.settings, customerId),
      highestOn: (budgetId, day) => {
        const budget = facts.budgets.get(budgetId);
        if (!budget) return undefined;
        const shown = highestOn(day, budget.amount, budget.changes);
        return budget.inDoubt ? highestOf(shown, highestOn(day, budget.inDoubt.expected, budget.changes)) : shown;
      },
    };
    try {
      const members = new Map<MemberGrain, Iterable<Member>>();
      for (const demand of demandsOf(own, account, ofTargets)) {
        const read = first.model
          ? models.members(first.model, customerId, demand)
          : warehouse.members(first.from, customerId, demand);
        members.set(demand.grain, await read);
      }
      const evaluations = evaluateTable(
        own,
        account,
        ({ grain }) => members.get(grain) ?? [],
        (truth, rule, subject) => truth === 'true' || keep(truth, rule, subject),
        ofTargets,
      );
      for (const [rule, evaluation] of evaluations) found.set(rule, evaluation);
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      const reason = `the model ${first.from} in ${app.settings.paths.models} failed: ${error.message}`;
      for (const rule of own) found.set(rule, { kind: 'not', reason });
      failures.push(`Not evaluated: ${own.map(({ name }) => name).join(', ')}, because ${reason}.`);
    }
  }
  const evaluated = new Map([...found].sort(([one], [other]) => rules.indexOf(one) - rules.indexOf(other)));
  return { evaluated, failures };
}

function isOfOtherCurrency(rule: Rule, currency: string | undefined): boolean {
  return rule.currency !== undefined && currency !== undefined && rule.currency !== currency;
}

/** Returns the reason if the rule does not apply to the account, otherwise undefined. */
export function unconcerned(rule: Rule, { customerId, currency, timeZone }: Account): string | undefined {
  if (rule.currency !== undefined && currency === undefined) {
    return `the account's currency is unknown: set accounts.${customerId}.currency`;
  }
  if (isOfOtherCurrency(rule, currency)) return `for ${rule.currency} only`;
  if (timeZone === undefined) return `the account's time zone is unknown: set accounts.${customerId}.time_zone`;
  return undefined;
}

function leftAlone(rule: Rule, account: RunAccount): RuleResult[] {
  const reason = unconcerned(rule, account);
  if (reason === undefined) return [];
  const result = ruleResult(rule, account.customerId, { kind: 'not', reason });
  return [{ ...result, isOfOtherCurrency: isOfOtherCurrency(rule, account.currency) }];
}

function ruleResult({ name, from: table }: Rule, customerId: CustomerId, evaluation: RuleEvaluation): RuleResult {
  if (evaluation.kind === 'not') {
    const missing = evaluation.missing && { table, ...evaluation.missing };
    return { rule: name, customerId, subjects: 0, fired: 0, unknown: 0, notEvaluated: evaluation.reason, missing };
  }
  const { true: fired, false: quiet, unknown } = evaluation.counts;
  return { rule: name, customerId, subjects: fired + quiet + unknown, fired, unknown, notEvaluated: undefined };
}

export interface FactsWanted {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly timeZone: string;
  /** Undefined if the service does not say it. */
  readonly budgetUnitMicros: Micros | undefined;
  readonly today: CivilDate;
  /** Their limits say how far back changes are needed. */
  readonly rules: readonly Pick<Rule, 'limits'>[];
  /** Budget changes are needed from this day on. */
  readonly since: CivilDate;
  readonly elsewhere?: ChangedElsewhere;
  /** If true, budget changes by others are not recorded. */
  readonly dryRun: boolean;
}

/** Records budget changes by others, except in a dry run. */
export async function accountFacts(app: EvaluatingApp, book: BudgetBook, wanted: FactsWanted): Promise<AccountFacts> {
  const { customerId, today, rules, elsewhere = NOTHING_ELSEWHERE, dryRun } = wanted;
  const { db } = app.state;
  const daysBack = Math.max(daysLookedBack(rules), daysBetween(wanted.since, today));
  const now = instantText(app.clock.now());
  const open = (await openIntents(db)).filter((intent) => intent.customerId === customerId);
  const unknown = new Set(open.filter(mayHaveBeenSent).map(({ budgetId }) => budgetId));
  // The service's amount may not include an open change, so the higher amount counts.
  const unproven = await unprovenRefusals(db, customerId);
  const inTheWorks = new Map([...unproven, ...open].map(({ budgetId, from, to }) => [budgetId, highestOf(from, to)]));
  const record = await expectedAmounts(db, customerId);
  for (const { budgetId, found } of elsewhere.changes) record.set(budgetId, { to: found, at: now });
  for (const budgetId of unknown) record.delete(budgetId);
  const readLagMs = app.settings.automation.readLagMinutes * 60_000;
  const compared = await compareWithRecord({ db, readLagMs }, book, customerId, record, today);
  const { inDoubt } = compared;
  const foreign = [...elsewhere.changes, ...compared.foreign];
  if (!dryRun) {
    const certain = [...book.amounts].filter(
      ([budgetId]) => !unknown.has(budgetId) && !inDoubt.has(budgetId) && !book.removed.has(budgetId),
    );
    // One transaction: an amount becomes the base of later comparisons only together with the changes that led to it.
    await db.transaction().execute(async (trx) => {
      for (const change of elsewhere.changes) await recordForeignChange(trx, change, app.clock.now());
      await writeDown(trx, customerId, compared, {
        clock: app.clock,
        locale: (customer) => app.settings.accounts.get(customer)?.locale,
      });
      await keepReadings(trx, customerId, certain, { readAt: book.readAt, now });
      if (elsewhere.from !== undefined) await noteChangesRead(trx, customerId, elsewhere.from);
    });
    for (const { budgetId } of foreign) {
      app.log.info(`Budget ${budgetId} of account ${customerId} was changed by someone else.`);
    }
  }
  const oldest = addDays(today, -daysBack);
  const changes = await changesSince(db, customerId, oldest);
  const decided = await decidedOn(db, customerId, today);
  const waiting = (await openProposals(db, app.clock.now())).filter((one) => one.customerId === customerId);
  const proposals = new Map(waiting.map(({ budgetId, code }) => [budgetId, code]));
  const rejected = await rejections(app, wanted, oldest);
  const campaignsOf = Map.groupBy(book.byCampaign, ([, { budgetId }]) => budgetId);
  const budgets = new Map<BudgetId, BudgetFacts>();
  for (const [budgetId, amount] of book.amounts) {
    const campaigns = campaignsOf.get(budgetId) ?? [];
    // A dry run stores no changes by others, so they are added here.
    const seen = dryRun ? foreign.filter((change) => change.budgetId === budgetId) : [];
    budgets.set(budgetId, {
      budgetId,
      amount,
      source: book.source,
      removed: book.removed.has(budgetId),
      campaigns: campaigns.map(([id, { campaignName: name, campaignStatus: status }]) => ({ id, name, status })),
      decidedToday: decided.get(budgetId),
      outcomeOpen: unknown.has(budgetId),
      inDoubt: inDoubt.get(budgetId),
      mayBecome: inTheWorks.get(budgetId) ?? inDoubt.get(budgetId)?.expected,
      proposed: proposals.get(budgetId),
      rejected: rejected.get(budgetId),
      changes: [...(changes.get(budgetId) ?? []), ...seen.map(pastChange)],
    });
  }
  return {
    customerId,
    currency: wanted.currency,
    today,
    budgets,
    unreadable: [...book.unreadable.values()],
    ...boundsOfAccount(app.settings, customerId, wanted.budgetUnitMicros),
    frozen: await app.killSwitch.frozen(),
  };
}

async function rejections(
  { state }: EvaluatingApp,
  { customerId, timeZone }: FactsWanted,
  since: CivilDate,
): Promise<ReadonlyMap<BudgetId, RejectedProposal>> {
  const found = new Map<BudgetId, RejectedProposal>();
  for (const proposal of await rejectedSince(state.db, customerId, startOfDayMs(since, timeZone))) {
    const { budgetId, code, from, to, decidedAt, decidedBy } = proposal;
    if (decidedAt === undefined) continue;
    const day = civilDateAt(Date.parse(decidedAt), timeZone);
    found.set(budgetId, { code, by: decidedBy ?? 'a person', day, from, to });
  }
  return found;
}

function pastChange({ accountDay, expected, found }: ForeignChange): PastChange {
  return { day: accountDay, by: 'foreign', from: expected, to: found };
}
