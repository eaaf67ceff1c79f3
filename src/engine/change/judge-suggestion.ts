import { agentLimits } from '../../config/agent-limits.ts';
import { subjectOf } from '../../domain/budget-change.ts';
import { InvariantError } from '../../domain/errors.ts';
import type { BudgetId } from '../../domain/ids.ts';
import { formatMoney, type Micros, micros, roundDownToUnit, roundUpToUnit } from '../../domain/micros.ts';
import { multiply, rational } from '../../domain/rational.ts';
import { totalsOf } from '../../language/rules/decide/account-totals.ts';
import type { AccountFacts, BudgetFacts, Verdict } from '../../language/rules/decide/decision.ts';
import { FACTOR_MAX, guardRequest, type Standing } from '../../language/rules/decide/guard.ts';
import type { Refusal } from '../../language/rules/decide/refusal.ts';
import { refusalWords } from '../../language/rules/decide/refusal-words.ts';
import type { Limits } from '../../language/rules/rule.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { suggestedSince } from '../../storage/records/budgets/proposal-table.ts';
import { testFindings } from '../../storage/records/runs/data-test-table.ts';
import type { App } from '../app.ts';
import type { BudgetBook } from '../budgets/read-budgets.ts';
import { accountFacts, evaluateRules, wholeVerdict } from '../evaluate/evaluate-rules.ts';
import { errorsIn } from '../evaluate/test-data.ts';
import { allRules, type Inputs } from '../load-inputs.ts';
import type { ActingOn } from './act-on-budget.ts';

/** All that decides on suggestions for one budget, read once. */
export interface SuggestionScene {
  readonly budgetId: BudgetId;
  readonly facts: AccountFacts;
  readonly bounds: readonly NamedLimits[];
  /** How far suggestions may still move budgets of the account, in micros. Undefined at an approval. */
  readonly movementLeft: bigint | undefined;
  /** A reason that holds for every amount. */
  readonly refusal: SuggestionRefused | undefined;
}

interface NamedLimits {
  /** Such as "agents.limits" or "the rule trim". */
  readonly of: string;
  readonly limits: Limits;
}

export interface SuggestionRefused {
  readonly kind: 'refused';
  readonly code: string;
  readonly reason: string;
  /** The nearest amount that would pass now. */
  readonly nearest?: Micros | undefined;
}

type Judgement = SuggestionRefused | { readonly kind: 'allowed'; readonly budget: BudgetFacts };

export interface SceneDeps {
  readonly ads: AdsConnection;
  readonly inputs: Inputs;
  readonly account: ActingOn['account'];
  readonly book: BudgetBook;
  readonly today: AccountFacts['today'];
  readonly budgetId: BudgetId;
  /** True for a suggestion that a person approves now. It does not stand in its own way. */
  readonly isApproval: boolean;
}

/**
 * No rule stands behind a suggestion. So `agents.limits` hold, and the limits of each rule and target that binds the budget.
 * A broken file could hide such limits, so it refuses everything. A rule that could not be evaluated binds every budget.
 */
export async function suggestionScene(app: App, deps: SceneDeps): Promise<SuggestionScene> {
  const { account, book, today, budgetId, isApproval } = deps;
  const own = agentLimits(app.settings);
  if (own === undefined) throw new InvariantError('A suggestion was judged without agents.limits.');
  const bounds = [{ of: 'agents.limits', limits: { ...own, minimum: [] } }, ...(await bindingLimits(app, deps))];
  const { customerId, currency, timeZone, budgetUnitMicros } = account;
  const about = { customerId, currency, timeZone, budgetUnitMicros, today, since: today };
  const found = await accountFacts(app, book, { ...about, rules: bounds, dryRun: false });
  const budget = found.budgets.get(budgetId);
  const facts =
    isApproval && budget
      ? { ...found, budgets: new Map([...found.budgets, [budgetId, { ...budget, proposed: undefined }]]) }
      : found;
  const [error] = errorsIn(await testFindings(app.state.db), customerId).values();
  const isOther = own.currency !== undefined && own.currency !== currency;
  return {
    budgetId,
    facts,
    bounds,
    movementLeft: isApproval ? undefined : await movementLeft(app, facts, own.movement),
    refusal: error
      ? refused('DATA_ERROR', `A test of the data failed: ${error}.`)
      : isOther
        ? refused(
            'CURRENCY',
            `agents.limits are for ${own.currency}, but the account uses ${currency ?? 'no known currency'}.`,
          )
        : brokenFile(deps.inputs),
  };
}

function refused(code: string, reason: string, nearest?: Micros): SuggestionRefused {
  return { kind: 'refused', code, reason, nearest };
}

function brokenFile({ findings }: Inputs): SuggestionRefused | undefined {
  const broken = findings.find(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'));
  return (
    broken && refused('FILE_BROKEN', `${broken.file} has errors, so its limits are unknown. Run pacekeeper check.`)
  );
}

async function bindingLimits(app: App, { ads, inputs, account, book, budgetId }: SceneDeps): Promise<NamedLimits[]> {
  const { rules, otherRules = [], targets, rates } = inputs;
  const changing = [...rules, ...otherRules].filter(({ change }) => change !== undefined);
  const ofAccount = targets.filter((target) => target.rules.has(account.customerId));
  const options = { dryRun: true, keep: () => true, take: wholeVerdict, targets: ofAccount, rates };
  const evaluation = await evaluateRules(app, ads, changing, [account], options);
  const unknown = new Set(
    evaluation.rules.flatMap((one) => (one.notEvaluated === undefined || one.isOfOtherCurrency ? [] : [one.rule])),
  );
  const bound = new Set(
    evaluation.verdicts.filter((verdict) => binds(verdict, budgetId, book)).map(({ rule }) => rule.name),
  );
  // A failure has no result for any rule.
  const isUnread = evaluation.failures.length > 0;
  return allRules({ rules: changing, targets: ofAccount })
    .filter(({ name }) => isUnread || unknown.has(name) || bound.has(name))
    .map(({ name, limits }) => ({ of: `the rule ${name}`, limits }));
}

function binds({ subject, pace }: Verdict, budgetId: BudgetId, { byCampaign }: BudgetBook): boolean {
  if (pace !== undefined) return pace.budgets.some((one) => one.budgetId === budgetId);
  if (subject.budgetId !== undefined) return subject.budgetId === budgetId;
  if (subject.campaignId !== undefined) return byCampaign.get(subject.campaignId)?.budgetId === budgetId;
  return true;
}

const DAY_MS = 86_400_000;

/** Also withdrawn and rejected suggestions count, so that an agent cannot try one amount after the other. */
async function movementLeft(
  { state, clock }: App,
  facts: AccountFacts,
  movement: Parameters<typeof multiply>[0],
): Promise<bigint> {
  const own = await suggestedSince(state.db, clock.now() - DAY_MS);
  const moved = own
    .filter(({ customerId }) => customerId === facts.customerId)
    .reduce((sum, { from, to }) => sum + distance(from, to), 0n);
  const most = multiply(rational(totalsOf(facts).daily), movement);
  return most.n / most.d - moved;
}

const distance = (from: bigint, to: bigint): bigint => (to > from ? to - from : from - to);

export function judgeSuggestion(scene: SuggestionScene, to: Micros): Judgement {
  if (scene.refusal) return scene.refusal;
  const found = ask(scene, to);
  if (found.kind === 'passes') return { kind: 'allowed', budget: found.budget };
  const words = found.kind === 'held' ? found.words : refusalWords(found.refusal);
  const code = found.kind === 'held' ? found.code : found.refusal.code;
  return refused(code, words, nearestTo(scene, to));
}

type Found =
  | { readonly kind: 'passes'; readonly budget: BudgetFacts }
  | { readonly kind: 'held'; readonly to: Micros; readonly code: string; readonly words: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Asks the guards of rules, with the limits of each that binds the budget. */
function ask(scene: SuggestionScene, to: Micros): Found {
  const { budgetId, facts, bounds, movementLeft: left } = scene;
  const totals = totalsOf(facts);
  const money = (amount: bigint) => formatMoney(micros(amount), facts.currency ?? '');
  let standing: Standing | undefined;
  for (const { of, limits } of bounds) {
    const rule = { name: of, limits, includePaused: false, change: { text: `set budget to ${money(to)}` } };
    const found = guardRequest({ ...requestFor(scene), rule, target: rational(to) }, facts, totals, undefined);
    if (found.kind === 'refused') return { kind: 'refused', refusal: found };
    if (found.to !== to) {
      const limit = found.limitedBy === undefined ? 'The smallest unit' : `The ${found.limitedBy} of ${of}`;
      const words = `${limit} allows ${money(found.to)}, found ${money(to)}.`;
      return { kind: 'held', to: found.to, code: 'OUTSIDE_LIMITS', words };
    }
    standing = found.standing;
  }
  if (standing === undefined) throw new InvariantError(`Nothing bounds a suggestion for budget ${budgetId}.`);
  const { budget, unit } = standing;
  const { amount } = budget;
  if (left === undefined || distance(amount, to) <= left) return { kind: 'passes', budget };
  const room = left > 0n ? left : 0n;
  const most =
    to > amount ? roundDownToUnit(rational(amount + room), unit) : roundUpToUnit(rational(amount - room), unit);
  const words = `Within 24 hours, suggestions may move budgets of this account by ${money(room)} more (agents.movement_a_day).`;
  return { kind: 'held', to: most, code: 'MOVEMENT_A_DAY', words };
}

function requestFor({ budgetId, facts }: SuggestionScene) {
  const { customerId, budgets } = facts;
  const campaigns = budgets.get(budgetId)?.campaigns ?? [];
  const stopped = campaigns.flatMap(({ id, name, status }) => {
    if (status === undefined || status === 'ENABLED') return [];
    return [{ label: subjectOf({ budgetId, campaignId: id, campaignName: name }, 'with id'), status }];
  });
  return {
    subject: { ...NO_CAMPAIGN, kind: 'budget', customerId, budgetId, label: `budget ${budgetId}` },
    budgetId,
    stopped: stopped.length < campaigns.length ? [] : stopped,
    tooLittle: [],
    because: '',
    numbers: [],
    alertText: undefined,
  } as const;
}

const NO_CAMPAIGN = { campaignId: undefined, campaignName: undefined, adGroupId: undefined, criterionId: undefined };

/** Tries an amount, and then the one at which it was held, until one passes every guard. */
function nearestTo(scene: SuggestionScene, wanted: Micros): Micros | undefined {
  const from = scene.facts.budgets.get(scene.budgetId)?.amount;
  if (from === undefined) return undefined;
  let candidate = wanted;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const found = ask(scene, candidate);
    if (found.kind === 'passes') return candidate;
    const next: Micros | undefined = found.kind === 'held' ? found.to : roomIn(found.refusal, candidate, from);
    if (next === undefined || next === from || distance(from, next) >= distance(from, candidate)) return undefined;
    if (next > from !== wanted > from) return undefined;
    candidate = next;
  }
  return undefined;
}

const TRIES_MAX = 30;

/** An amount nearer to the present one, if the refusal says how far to go. */
function roomIn({ code, facts }: Refusal, candidate: Micros, from: Micros): Micros | undefined {
  if (code === 'ACCOUNT_TOTAL' || code === 'EXPOSURE') {
    const { sum, most } = facts as { readonly sum: string; readonly most: string };
    const excess = BigInt(sum) - BigInt(most);
    return micros(candidate - (code === 'EXPOSURE' ? (excess + 1n) / 2n : excess));
  }
  const isFar = code === 'UNIT_SANITY' || code === 'TOO_LARGE' || code === 'NOT_POSITIVE';
  if (!isFar) return undefined;
  return candidate > from ? micros(from * FACTOR_MAX.n) : roundUpToUnit(rational(from, FACTOR_MAX.n), micros(1n));
}
