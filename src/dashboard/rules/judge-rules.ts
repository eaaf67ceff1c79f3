import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { RunAccount } from '../../engine/accounts/find-accounts.ts';
import type { StateApp } from '../../engine/app.ts';
import { killSwitch } from '../../engine/budgets/kill-switch.ts';
import { evaluateRules, wholeVerdict } from '../../engine/evaluate/evaluate-rules.ts';
import { explained } from '../../engine/evaluate/explained-subject.ts';
import { warehousePath } from '../../engine/folder/folder-paths.ts';
import { type KeptInputs, keptInputs } from '../../engine/kept-inputs.ts';
import { type Inputs, refuseAmbiguousMoney } from '../../engine/load-inputs.ts';
import type { ExplainedSubject, RuleResult } from '../../language/results/report-result.ts';
import type { Subject } from '../../language/rules/decide/decision.ts';
import { usesLabels } from '../../language/rules/evaluate/collect-values.ts';
import { subjectKey } from '../../language/rules/evaluate/subjects.ts';
import type { Rule } from '../../language/rules/rule.ts';
import { type Target, targetAsRule } from '../../language/targets/target.ts';
import { createRedact } from '../../services/http/redact.ts';
import { headText, recordHead } from '../../storage/records/budgets/record-head.ts';
import { askOnce, keptAnswers } from '../../storage/records/kept-answers.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { accountsInScopeSince } from '../../storage/records/runs/run-account-table.ts';
import { lastReport } from '../../storage/records/runs/run-history.ts';
import { recordedBudgets } from './recorded-budgets.ts';

/** A rule of the folder. A target has a rule that stands for those of all accounts. */
export interface FolderRule {
  readonly rule: Rule;
  readonly target: Target | undefined;
}

export function folderRules({ inputs }: KeptInputs): FolderRule[] {
  return [
    ...inputs.targets.map((target) => ({ rule: targetAsRule(target), target })),
    ...inputs.rules.map((rule) => ({ rule, target: undefined })),
  ];
}

/** A mistake of the user, for a page. */
export type Problem = Pick<InputError, 'message' | 'nextStep'>;

/** Throws other errors again. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof InputError)) throw error;
  return { message: error.message, nextStep: error.nextStep };
}

/** `failure` says why no file could be checked at all. */
export interface FolderFiles {
  readonly kept: KeptInputs | undefined;
  readonly failure: Problem | undefined;
}

export async function folderFiles({ settings, clock }: StateApp): Promise<FolderFiles> {
  try {
    return { kept: await keptInputs(settings, clock.now()), failure: undefined };
  } catch (error) {
    return { kept: undefined, failure: problemOf(error) };
  }
}

const SCOPE_MS = 86_400_000;

/** Rules are judged as of the last report, so that a verdict is the one of its data. */
export async function asOfReport(app: StateApp): Promise<StateApp> {
  const run = await lastReport(app.state.db);
  return run === undefined ? app : { ...app, clock: { ...app.clock, now: () => Date.parse(run.startedAt) } };
}

/** The accounts of the last report, and of runs in the day before it. */
export async function accountsInScope({ state: { db } }: StateApp): Promise<RunAccount[]> {
  const run = await lastReport(db);
  if (run === undefined) return [];
  const scope = await accountsInScopeSince(db, instantText(Date.parse(run.startedAt) - SCOPE_MS));
  const accounts = await allAccounts(db);
  return accounts
    .filter(({ customerId }) => scope.has(customerId))
    .map((account) => ({ ...account, failure: undefined, leftOut: undefined }));
}

/** The verdicts on the data on record. */
export interface Judged {
  readonly results: readonly RuleResult[];
  /** Those that fire come first. At most `SUBJECTS_MAX`. */
  readonly subjects: readonly (ExplainedSubject & { readonly rule: string })[];
  readonly accounts: readonly RunAccount[];
  readonly failures: readonly string[];
}

/** Numbers of more subjects would need much memory. */
export const SUBJECTS_MAX = 200;
const ORDER = ['true', 'unknown', 'false'];

const kept = keptAnswers(50_000);

/** Kept until a report, a publication, a file or a budget event is another. */
export async function keptFor<Answer>(
  { state, settings, clock }: StateApp,
  files: KeptInputs,
  what: readonly unknown[],
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const run = await lastReport(state.db);
  const file = await state.warehouse.openPublished(warehousePath(settings.paths.data));
  const readAt = await file?.newestReading(undefined).finally(() => file.close());
  const frozen = await killSwitch({ state, clock }, settings.paths.data).frozen();
  const head = headText(await recordHead(state.db));
  const seen = [state.path, `${run?.id}`, readAt, head, frozen, files.files];
  return askOnce(kept, JSON.stringify([seen, what]), ask);
}

/** The files without errors, because a page shows the others beside them. */
export function rightFiles(inputs: Inputs, rules: readonly Rule[]): Inputs {
  return { ...inputs, rules, findings: inputs.findings.filter(({ rule }) => rule !== undefined) };
}

/** Throws `InputError` for amounts without a currency. With one rule, also explains each of its subjects. */
export function judgeRules(app: StateApp, files: KeptInputs, only?: FolderRule): Promise<Judged> {
  const { inputs } = files;
  const own =
    only?.target === undefined ? only && { rules: [only.rule], targets: [] } : { rules: [], targets: [only.target] };
  const order = { ...(own ?? inputs), isAsked: ({ name }: Rule) => name === only?.rule.name };
  return keptFor(app, files, ['judged', only?.rule.name], () => judge(app, files, order));
}

/** Explains the verdicts about a campaign and its budget. Targets are judged together with other accounts, so not here. */
export function judgeCampaign(
  app: StateApp,
  files: KeptInputs,
  {
    customer,
    campaign,
    budget,
  }: { readonly customer: CustomerId; readonly campaign: CampaignId; readonly budget: BudgetId | undefined },
): Promise<Judged> {
  const keys = [
    subjectKey({ kind: 'campaign', campaignId: campaign }),
    ...(budget === undefined ? [] : [subjectKey({ kind: 'budget', budgetId: budget })]),
  ];
  const isAsked = (_: Rule, subject: Subject) => keys.includes(subjectKey(subject));
  const order = { rules: files.inputs.rules, targets: [], customer, isAsked };
  return keptFor(app, files, ['judged', customer, keys], () => judge(app, files, order));
}

interface JudgeOrder {
  readonly rules: readonly Rule[];
  readonly targets: readonly Target[];
  /** Undefined for all accounts. */
  readonly customer?: CustomerId;
  /** True for verdicts to explain. */
  isAsked(rule: Rule, subject: Subject): boolean;
}

async function judge(now: StateApp, { inputs }: KeptInputs, { rules, targets, customer, isAsked }: JudgeOrder) {
  const app = await asOfReport(now);
  const { state, settings, clock } = app;
  const all = await accountsInScope(app);
  const accounts = all.filter(({ customerId }) => (customer ?? customerId) === customerId);
  refuseAmbiguousMoney(rightFiles(inputs, rules), accounts);
  const file = await state.warehouse.openPublished(warehousePath(settings.paths.data));
  try {
    const evaluating = { ...app, killSwitch: killSwitch({ state, clock }, settings.paths.data) };
    const left = { true: 0, unknown: SUBJECTS_MAX, false: SUBJECTS_MAX };
    const storable = rules.filter((rule) => !usesLabels(rule));
    const read = await recordedBudgets(app, file);
    const evaluation = await evaluateRules(evaluating, ({ customerId }) => read(customerId), storable, accounts, {
      dryRun: true,
      keep: (truth, rule, subject) => {
        if (!isAsked(rule, subject)) return false;
        left[truth] -= 1;
        return left[truth] >= 0;
      },
      take: wholeVerdict,
      targets,
      rates: inputs.rates,
    });
    const redact = createRedact(settings.secrets);
    const own = evaluation.verdicts
      .filter(({ rule, subject }) => isAsked(rule, subject))
      .toSorted((one, other) => ORDER.indexOf(one.truth) - ORDER.indexOf(other.truth));
    return {
      results: evaluation.rules,
      subjects: own
        .slice(0, SUBJECTS_MAX)
        .map((verdict) => ({ ...explained(verdict, evaluation, redact), rule: verdict.rule.name })),
      accounts,
      failures: evaluation.failures,
    };
  } finally {
    file?.close();
  }
}
