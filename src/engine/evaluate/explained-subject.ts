import type { ExplainedSubject } from '../../language/results/report-result.ts';
import type { Verdict } from '../../language/rules/decide/decision.ts';
import type { Redact } from '../../services/http/redact.ts';
import type { Evaluation } from './evaluate-rules.ts';
import { plannedDecision } from './planned-decision.ts';

/** The verdict in words, with the decisions that follow from it. */
export function explained(verdict: Verdict, { accounts }: Evaluation, redact: Redact): ExplainedSubject {
  const alert = verdict.alertText();
  const { subject, truth } = verdict;
  const account = accounts.find(({ customerId }) => customerId === subject.customerId);
  const decisions = account?.decisions.filter(({ request }) => request.subject === subject) ?? [];
  return {
    customerId: subject.customerId,
    subject: redact(subject.label),
    truth,
    campaignId: subject.campaignId,
    budgetId: subject.budgetId,
    explanation: redact(verdict.explain()),
    clauses: verdict
      .clauses()
      .map((clause) => ({ ...clause, text: redact(clause.text), values: clause.values.map(redact) })),
    alert: alert && redact(alert),
    decisions: account ? decisions.map((decision) => plannedDecision(account, decision, redact)) : [],
  };
}
