import { isMade } from '../../domain/budget-change.ts';
import { addDays, type CivilDate, civilDateAt, clockTimeAt } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import {
  budgetUnitOf,
  formatMoneyIn,
  type Micros,
  micros,
  roundDownToUnit,
  roundUpToUnit,
} from '../../domain/micros.ts';
import { outsideName } from '../../domain/outside-text.ts';
import { add, multiply, type Rational, rational } from '../../domain/rational.ts';
import { capitalised, type ShowInstant } from '../../domain/wording.ts';
import type { ReportResult } from '../../language/results/report-result.ts';
import { guardFixedAmount } from '../../language/rules/decide/guard.ts';
import { refusalWords } from '../../language/rules/decide/refusal-words.ts';
import type { Rule } from '../../language/rules/rule.ts';
import type { ShownProposal } from '../../storage/columns/budget-columns.ts';
import { intentById, intentsOfBudget } from '../../storage/records/budgets/intent-table.ts';
import { openProposals, type Proposal, proposalByCode } from '../../storage/records/budgets/proposal-table.ts';
import { knownAccount } from '../../storage/records/runs/account-table.ts';
import { testFindings } from '../../storage/records/runs/data-test-table.ts';
import type { App, StateApp } from '../app.ts';
import { type BudgetDeps, isOpen, passesEverywhere } from '../budgets/budget-deps.ts';
import {
  approveProposal as approve,
  endProposal,
  type Objection,
  rejectProposal as reject,
} from '../budgets/personal-change.ts';
import type { BudgetBook } from '../budgets/read-budgets.ts';
import { accountFacts } from '../evaluate/evaluate-rules.ts';
import { errorsIn, stoppedBy } from '../evaluate/test-data.ts';
import { inputsNow, rulesOf } from '../load-inputs.ts';
import { publishAfterwards } from '../publish-files.ts';
import { type ActingOn, type Actor, actOnBudgets } from './act-on-budget.ts';
import { isReallocation, type Lapse, lapsedProposal, notServedNow } from './change-budgets.ts';
import { judgeSuggestion, type SceneDeps, suggestionScene } from './judge-suggestion.ts';
import { objectionOfPlan } from './objection-of-plan.ts';

export interface Approver extends Actor {
  /** The approved share of each change: above 0, at most 1. Undefined means the whole change. */
  readonly part?: Rational | undefined;
  /** Smaller steps, by the code as given. Without an amount, the whole change is approved. */
  readonly amounts?: ReadonlyMap<string, Micros> | undefined;
}

/**
 * Checks guards, rule, target, settings, account and campaign again. Makes one change after the other, decreases first, so
 * that a stop in between leaves no more spent than before. Throws `InputError` for an unknown code.
 */
export async function approveProposals(
  app: App,
  codes: readonly string[],
  { by, why, reply, showInstant, part, amounts }: Approver,
): Promise<ReportResult> {
  const proposals = await proposalsNamed(app, codes);
  const steps = new Map(proposals.map(({ code }, index) => [code, amounts?.get(codes[index] ?? '')]));
  const inputs = await inputsNow(app.settings, app.clock.now());
  const ruleNamed = rulesOf(inputs);
  const wanted = proposals
    .toSorted((one, other) => Number(one.to > one.from) - Number(other.to > other.from))
    .map((proposal) => {
      const rule = ruleNamed(proposal.rule);
      // During a freeze, the proposal stays open, even if its rule has changed.
      const first = async (deps: BudgetDeps) => {
        const lapse = (await deps.frozen()) === undefined ? lapseOf(app, proposal, rule) : undefined;
        return lapse && endProposal(deps, proposal, lapse);
      };
      return { change: proposal, by, first, rule };
    });
  return actOnBudgets(app, 'budgets approve', wanted, ({ change: { code, from, to }, rule }, on) => {
    const { runId, deps, ads, account, today } = on;
    const step = steps.get(code) ?? (part && partOf({ from, to }, part, account, rule));
    const person = { by, why: why ?? '', reply, runId, showInstant, to: step };
    return approve(deps, code, person, today, async (proposal, book) => {
      const scene = { account, rule, book, today: today(), showInstant };
      const objection =
        proposal.maker === 'agent'
          ? await objectionToSuggestion(app, proposal, { ads, inputs, account, book, today: today() })
          : ((await objectionOfData(app, proposal, rule)) ??
            (await objectionTo(app, proposal, scene)) ??
            (await objectionOfPlan(app, ads, inputs, proposal)));
      // The whole change may still be right.
      return objection && { ...objection, ends: objection.ends && step === undefined };
    });
  });
}

/** Rounds to the smaller change. A reallocation rounds down, so that its decreases free enough for its increases. */
function partOf(
  { from, to }: Pick<Proposal, 'from' | 'to'>,
  part: Rational,
  account: ActingOn['account'],
  rule: Rule | undefined,
): Micros {
  const { currency, budgetUnitMicros: budgetUnit } = account;
  const amount = add(rational(from), multiply(rational(to - from), part));
  const round = to > from || isReallocation(rule) ? roundDownToUnit : roundUpToUnit;
  return round(amount, budgetUnitOf({ currency, budgetUnit }) ?? micros(1n));
}

/** The codes of a rule's or target's changes that await approval. Throws `InputError` if none does. */
export async function codesOf({ state, clock }: Pick<StateApp, 'state' | 'clock'>, name: string): Promise<string[]> {
  const codes = (await openProposals(state.db, clock.now())).flatMap(({ rule, code }) => (rule === name ? [code] : []));
  if (codes.length > 0) return codes;
  throw new InputError(`No change of ${name} awaits approval.`, { nextStep: SEE_WAITING });
}

function lapseOf({ settings }: App, proposal: Proposal, rule: Rule | undefined): Lapse | undefined {
  const { customerId } = proposal;
  if (settings.ads.excludeCustomerIds.includes(customerId)) {
    const reason = `Account ${customerId} is excluded. To change it, remove it from ads.exclude_customer_ids.`;
    return { code: 'ACCOUNT_EXCLUDED', reason };
  }
  return lapsedProposal(settings, proposal, rule);
}

/** Judged again with the limits of now. With a smaller step, `to` is the amount of the step. */
async function objectionToSuggestion(
  app: App,
  proposal: Proposal,
  deps: Omit<SceneDeps, 'budgetId' | 'isApproval'>,
): Promise<Objection | undefined> {
  const { budgetId, to } = proposal;
  const judged = judgeSuggestion(await suggestionScene(app, { ...deps, budgetId, isApproval: true }), to);
  if (judged.kind === 'allowed') return undefined;
  return { code: judged.code, reason: judged.reason, ends: !MAY_PASS.includes(judged.code) };
}

/** After one of these refusals, the proposal stays open, because the reason may soon disappear. */
const MAY_PASS: readonly string[] = [
  'FROZEN',
  'BUDGET_NOT_KNOWN',
  'CURRENCY_NOT_KNOWN',
  'OUTCOME_OPEN',
  'AMOUNT_IN_DOUBT',
  'TOTAL_UNKNOWN',
  'DATA_ERROR',
  'FILE_BROKEN',
];

/** The change was decided with rows that a test has proven wrong since. The next report may find them right again. */
async function objectionOfData(
  { state }: App,
  { customerId, code }: Proposal,
  rule: Rule | undefined,
): Promise<Objection | undefined> {
  const because = rule && stoppedBy(errorsIn(await testFindings(state.db), customerId), rule);
  if (because === undefined) return undefined;
  return { code: 'DATA_ERROR', reason: `${capitalised(because)}. ${code} still awaits approval.`, ends: false };
}

interface ProposalScene {
  readonly account: ActingOn['account'];
  readonly rule: Rule | undefined;
  readonly book: BudgetBook;
  readonly today: CivilDate;
  readonly showInstant: ShowInstant | undefined;
}

async function objectionTo(
  app: App,
  proposal: Proposal,
  { account, rule, book, today, showInstant }: ProposalScene,
): Promise<Objection | undefined> {
  const { customerId, currency, timeZone, budgetUnitMicros } = account;
  if (currency !== undefined && currency !== proposal.currency) {
    const reason = `The change was decided in ${proposal.currency}, but the account now uses ${currency}. The next report decides again.`;
    return { code: 'CURRENCY_CHANGED', reason, ends: true };
  }
  const about = { customerId, currency, timeZone, budgetUnitMicros, today, since: today };
  const facts = await accountFacts(app, book, { ...about, rules: [], dryRun: false });
  const guarded = guardFixedAmount(proposal, facts);
  const refusal = guarded.kind === 'refused' ? guarded : notServedNow(rule, proposal, book);
  return (
    refusal && {
      code: refusal.code,
      reason: refusalWords(refusal, showInstant),
      ends: !MAY_PASS.includes(refusal.code),
    }
  );
}

interface Rejections {
  readonly proposals: readonly ShownProposal[];
  /** One for each rejected proposal. */
  readonly sentences: readonly string[];
  /** Why the others were not rejected, and why publishing failed. */
  readonly failures: readonly string[];
}

/** Each proposal is rejected for itself. Throws `InputError` for an unknown code, and if no proposal is open any more. */
export async function rejectProposals(
  app: StateApp,
  codes: readonly string[],
  { by, why, reply, showInstant }: Actor,
): Promise<Rejections> {
  const person = { by, why: why ?? 'no reason given', reply, showInstant };
  const proposals: ShownProposal[] = [];
  const sentences: string[] = [];
  const failures: string[] = [];
  for (const { code } of await proposalsNamed(app, codes)) {
    const result = await reject({ ...app, passes: app.passes ?? passesEverywhere }, code, person);
    if (result.kind === 'refused') {
      failures.push(result.reason);
      continue;
    }
    proposals.push({ ...result.proposal, why: person.why, reply });
    sentences.push(`Proposal ${await answerRejected(app, result.proposal)}`);
  }
  if (proposals.length === 0) throw new InputError(failures.join('\n'), { nextStep: SEE_WAITING });
  const { failure } = await publishAfterwards(app);
  return { proposals, sentences, failures: failure === undefined ? failures : [...failures, failure] };
}

export const SEE_WAITING = 'To see the changes that await approval, run pacekeeper budgets list.';

/** Throws `InputError` for an unknown code, and for a change that is named twice. */
async function proposalsNamed(app: Pick<StateApp, 'state'>, codes: readonly string[]): Promise<Proposal[]> {
  const proposals = await Promise.all(codes.map((code) => proposalNamed(app, code)));
  const twice = proposals.find(({ code }, index) => proposals.findIndex((one) => one.code === code) < index);
  if (twice === undefined) return proposals;
  throw new InputError(`${twice.code} is named twice.`, { nextStep: 'Name each change once.' });
}

async function proposalNamed({ state }: Pick<StateApp, 'state'>, code: string): Promise<Proposal> {
  const proposal = await proposalByCode(state.db, code);
  if (proposal) return proposal;
  throw new InputError(`No such proposal: ${JSON.stringify(code)}.`, { nextStep: SEE_WAITING });
}

type Waiting = Pick<StateApp, 'state' | 'settings' | 'clock'>;

interface AnswerTimes {
  /** UTC if the account's time zone is unknown. */
  readonly timeZone: string;
  readonly nowMs: number;
}

export async function timesOf({ state, settings, clock }: Waiting, customer: CustomerId): Promise<AnswerTimes> {
  const known = (await knownAccount(state.db, customer))?.timeZone ?? settings.accounts.get(customer)?.timeZone;
  return { timeZone: known ?? 'UTC', nowMs: clock.now() };
}

/** Adds the date if the time is not today. */
function localTime(atMs: number, { timeZone, nowMs }: AnswerTimes): string {
  const day = civilDateAt(atMs, timeZone);
  return `${day === civilDateAt(nowMs, timeZone) ? '' : `${day} `}${clockTimeAt(atMs, timeZone)}`;
}

/** Shows times such as "13:05 Europe/Berlin". */
export function onLocalClock(times: AnswerTimes): ShowInstant {
  return (instant) => `${localTime(Date.parse(instant), times)} ${times.timeZone}`;
}

/** Returns undefined if the proposal was neither approved nor rejected. */
export async function answerDecided(app: App, proposal: Proposal, by: string): Promise<string | undefined> {
  const { code, state, decidedBy, decidedAt, customerId, intentId } = proposal;
  if (decidedAt === undefined || (state !== 'approved' && state !== 'rejected')) return undefined;
  const times = await timesOf(app, customerId);
  const person = decidedBy === undefined || decidedBy === by ? '' : ` by ${decidedBy}`;
  const when = `${code} was already ${state}${person} at ${localTime(Date.parse(decidedAt), times)}`;
  if (state === 'rejected') {
    return `${when}: ${budgetWords(proposal)} is unchanged.`;
  }
  return `${when} (B${intentId}): ${await becameOf(app, proposal)}`;
}

const budgetWords = ({ campaignName, budgetId }: Pick<Proposal, 'campaignName' | 'budgetId'>): string =>
  campaignName === undefined ? `budget ${budgetId}` : `the budget of ${outsideName(campaignName)}`;

export async function answerRejected(app: Waiting, proposal: Proposal): Promise<string> {
  const { code, customerId, decidedAt } = proposal;
  const { timeZone, nowMs } = await timesOf(app, customerId);
  const next = addDays(civilDateAt(decidedAt === undefined ? nowMs : Date.parse(decidedAt), timeZone), 1);
  const again = `Rules may ask again from ${next}, or after their cooldown.`;
  return `${code} is rejected: ${budgetWords(proposal)} is unchanged. ${again}`;
}

async function becameOf({ state: { db }, settings }: App, proposal: Proposal): Promise<string> {
  const { intentId, customerId, budgetId, currency, from } = proposal;
  const intent = intentId === undefined ? undefined : await intentById(db, intentId);
  if (intent === undefined) return 'no record of the change was found.';
  const locale = settings.accounts.get(customerId)?.locale;
  const change = `${formatMoneyIn(locale, from, currency)} to ${formatMoneyIn(locale, intent.to, currency)}`;
  if (isOpen(intent)) return `the outcome of ${change} is unknown. Run pacekeeper budgets reconcile.`;
  if (!isMade(intent)) return `${change} was not made. For the reason, run pacekeeper budgets show B${intent.id}.`;
  const later = (await intentsOfBudget(db, customerId, budgetId)).filter((one) => one.id > intent.id && isMade(one));
  const undo = later.find(({ undoes }) => undoes === intent.id);
  if (undo) return `${change} was made, then undone as B${undo.id}.`;
  const next = later.at(-1);
  return next ? `${change} was made. B${next.id} has changed the budget since.` : `${change} is in effect.`;
}
