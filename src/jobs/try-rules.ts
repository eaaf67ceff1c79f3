import type { App } from '../app.ts';
import { instantText } from '../domain/civil-date.ts';
import { grouped } from '../domain/grouped.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { Redact } from '../http/redact.ts';
import type { EvaluationResult, RuleAlert } from '../report/rules-result.ts';
import type { Verdict } from '../rules/decision.ts';
import { hasReadDays } from '../store/day-table.ts';
import { evaluateRules } from './evaluate-rules.ts';
import { findAccounts } from './find-accounts.ts';
import type { Inputs } from './load-inputs.ts';
import { showChanges } from './plan-changes.ts';
import { refuseAmbiguousMoney } from './refuse-ambiguous-money.ts';
import { requireAds } from './require-ads.ts';

/** What the rules would do by the numbers that were read before. Writes nothing down but where the accounts are. */
export async function tryRules(app: App, inputs: Inputs, customers: readonly CustomerId[]): Promise<EvaluationResult> {
  const ads = requireAds(app, 'no rule can be evaluated');
  const accounts = await findAccounts(app, ads, customers);
  refuseAmbiguousMoney(inputs, accounts.found);
  const evaluation = await evaluateRules(app, ads, inputs.rules, accounts.found, { dryRun: true });
  const decisions = showChanges(app, evaluation.accounts);
  const frozen = await app.killSwitch.standing();
  return {
    target: app.target,
    mode: app.settings.automation.mode,
    evaluatedAt: instantText(app.clock.now()),
    unread: !(await hasReadDays(app.state.db)),
    frozen,
    notes: [],
    accounts: accounts.found,
    rules: evaluation.rules,
    decisions,
    alerts: alertsOf(evaluation.verdicts, app.redact),
    failures: [...accounts.failures, ...evaluation.failures].map(app.redact),
  };
}

/** A line for each subject that a rule with an alert fires for, by account and rule. */
function alertsOf(fired: readonly Verdict[], redact: Redact): RuleAlert[] {
  const alerting = fired.filter(({ rule }) => rule.alert !== undefined);
  return grouped(alerting, ({ rule, subject }) => `${subject.customerId} ${rule.name}`).flatMap((verdicts) => {
    const [first] = verdicts;
    if (first?.rule.alert === undefined) return [];
    const lines = verdicts.flatMap((verdict) => verdict.alertText() ?? []).map(redact);
    return [
      { rule: first.rule.name, customerId: first.subject.customerId, severity: first.rule.alert.severity, lines },
    ];
  });
}
