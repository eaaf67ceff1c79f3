import type { Decision, RequestedChange } from '../../language/rules/decide/decision.ts';
import type { Keep } from '../../language/rules/evaluate/ledger.ts';
import type { Rule } from '../../language/rules/rule.ts';
import type { ExchangeRate } from '../../language/targets/exchange-rates.ts';
import type { Target } from '../../language/targets/target.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import type { ConditionRecord } from '../../storage/records/alerts/condition-table.ts';
import type { TestFinding } from '../../storage/records/runs/data-test-table.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { type RuleNamed, rulesByName } from '../load-inputs.ts';
import type { SharedWork } from '../queue/shared-work.ts';
import { keepOpen, textsOf, type VerdictTexts } from '../tell/enqueue-rule-alerts.ts';
import { type AccountDecisions, type Evaluation, evaluateRules } from './evaluate-rules.ts';
import { isPacing } from './pacing.ts';

/** A worker's order. */
export interface EvaluationTask {
  readonly account: RunAccount;
  readonly rules: readonly string[];
  readonly dryRun: boolean;
  /** The conditions of the account. */
  readonly known: readonly ConditionRecord[];
  /** Findings of the tests of data about the account. */
  readonly findings: readonly TestFinding[];
}

interface EvaluationAnswer {
  readonly evaluation: Linked<string>;
  readonly operations: number;
}

interface Evaluating {
  readonly dryRun: boolean;
  readonly targets?: readonly Target[] | undefined;
  readonly rates?: readonly ExchangeRate[] | undefined;
  /** The conditions that earlier runs recorded. */
  readonly known: readonly ConditionRecord[];
  readonly findings: readonly TestFinding[];
}

/** Keeps what alerts and the page need of the verdicts. */
export function evaluateHere(
  app: App,
  ads: AdsConnection,
  rules: readonly Rule[],
  accounts: readonly RunAccount[],
  { known, ...evaluating }: Evaluating,
  share?: Share,
): Promise<Evaluation<VerdictTexts>> {
  const open = keepOpen(known);
  const keep: Keep = (truth, rule, subject) => isPacing(rule) || open(truth, rule, subject);
  return evaluateRules(app, ads, rules, accounts, { ...evaluating, keep, take: textsOf, share });
}

type Share = (account: RunAccount, here: () => Promise<Evaluation<VerdictTexts>>) => Promise<Evaluation<VerdictTexts>>;

/** Lets any worker evaluate the rules of an account, or this process. */
export function shareEvaluation(
  shared: SharedWork,
  ads: AdsConnection,
  rules: readonly Rule[],
  { dryRun, known, findings }: Evaluating,
): Share {
  const names = rules.map(({ name }) => name);
  const knownOf = Map.groupBy(known, ({ customerId }) => customerId);
  const ruleNamed = rulesByName(rules);
  return async (account, here) => {
    const { customerId } = account;
    const about: EvaluationTask = {
      account,
      rules: names,
      dryRun,
      known: knownOf.get(customerId) ?? [],
      findings: findings.filter((one) => one.customerId === undefined || one.customerId === customerId),
    };
    const order = { kind: 'evaluate', about, priority: 0, isTriedOnce: true } as const;
    const answer = await shared.give<EvaluationAnswer | Evaluation<VerdictTexts>>(order, here);
    if (!('operations' in answer)) return answer;
    ads.operations.count += answer.operations;
    return relinked(answer.evaluation, (name) => existing(name, ruleNamed));
  };
}

/** Evaluates the rules of an account for the run of another process. */
export async function evaluateForRun(
  app: App,
  ads: AdsConnection,
  { account, rules, dryRun, known, findings }: EvaluationTask,
  ruleNamed: RuleNamed,
): Promise<EvaluationAnswer> {
  const own = { ...ads, operations: { count: 0 } };
  const asked = rules.map((name) => existing(name, ruleNamed));
  const evaluation = await evaluateHere(app, own, asked, [account], { dryRun, known, findings });
  return { evaluation: relinked(evaluation, ({ name }: Rule) => name), operations: own.operations.count };
}

function existing(name: string, ruleNamed: RuleNamed): Rule {
  const rule = ruleNamed(name);
  if (rule === undefined) throw new Error(`The run has a rule ${name}, which this process does not have.`);
  return rule;
}

type LinkedDecision<Link> = Decision extends infer One
  ? One extends Decision
    ? Omit<One, 'request'> & { readonly request: Omit<RequestedChange, 'rule'> & { readonly rule: Link } }
    : never
  : never;

/** An evaluation with rules, or with their names: rules contain functions, which cannot be sent. */
interface Linked<Link> extends Pick<Evaluation, 'rules' | 'failures'> {
  readonly accounts: readonly (Omit<AccountDecisions, 'decisions'> & {
    readonly decisions: readonly LinkedDecision<Link>[];
  })[];
  readonly verdicts: readonly (Omit<VerdictTexts, 'rule'> & { readonly rule: Link })[];
}

function relinked<From, To>(
  { accounts, verdicts, rules, failures }: Linked<From>,
  link: (from: From) => To,
): Linked<To> {
  return {
    rules,
    failures,
    accounts: accounts.map((account) => ({
      ...account,
      decisions: account.decisions.map((decision) => {
        const { request } = decision;
        return { ...decision, request: { ...request, rule: link(request.rule) } };
      }),
    })),
    verdicts: verdicts.map((verdict) => ({ ...verdict, rule: link(verdict.rule) })),
  };
}
