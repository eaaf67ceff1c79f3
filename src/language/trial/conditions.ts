import { type CivilDate, startOfDayMs } from '../../domain/civil-date.ts';
import type { BudgetId } from '../../domain/ids.ts';
import type { Decision, Subject, Verdict } from '../rules/decide/decision.ts';
import { decideNotification, type LastNotification, type NotificationPolicy } from '../rules/decide-notification.ts';
import type { RuleEvaluation } from '../rules/evaluate/evaluate-rules.ts';
import type { Keep } from '../rules/evaluate/ledger.ts';
import { subjectKey } from '../rules/evaluate/subjects.ts';
import type { Rule } from '../rules/rule.ts';
import type { DayOutcome } from './trial-account.ts';

export interface TrialAlert {
  readonly day: CivilDate;
  readonly rule: Rule;
  readonly kind: 'change' | 'first' | 'repeat' | 'escalated' | 'resolved';
  readonly subject: Subject;
  /** Undefined if the subject has no budget, for example the account. */
  readonly budgetId: BudgetId | undefined;
  readonly text: string | undefined;
}

interface Open {
  readonly rule: Rule;
  readonly subject: Subject;
  last: LastNotification;
}

/** Decides which alerts each day would have. A change and its condition share one alert. */
export class Conditions {
  readonly #policy: NotificationPolicy;
  readonly #open = new Map<string, Open>();

  constructor(policy: NotificationPolicy) {
    this.#policy = policy;
  }

  /** Selects conditions that were reported and did not end yet. */
  readonly keep: Keep = (_truth, rule, subject) => {
    const open = this.#open.get(keyOf({ rule, subject }));
    return open !== undefined && open.last.notifiedAs !== 'resolved';
  };

  /** Uses midnight UTC, so that runs are one day apart even when clocks change. */
  tell(today: CivilDate, { evaluations, verdicts, decisions }: DayOutcome): TrialAlert[] {
    const nowMs = startOfDayMs(today, 'UTC');
    const told = decisions.flatMap((decision) => this.#toldByChange(decision, today, nowMs));
    const seen = new Map<string, Verdict>();
    for (const verdict of verdicts) {
      if (verdict.rule.alert === undefined) continue;
      const key = keyOf(verdict);
      seen.set(key, verdict);
      if (verdict.truth === 'true') told.push(...this.#firing(key, verdict, today, nowMs));
    }
    for (const [key, open] of this.#open) {
      if (open.last.notifiedAs === 'resolved' || !isOver(seen.get(key), evaluations.get(open.rule))) continue;
      open.last = { ...open.last, notifiedAtMs: nowMs, notifiedAs: 'resolved' };
      told.push(trialAlert(today, open.rule, 'resolved', open.subject, undefined));
    }
    return told;
  }

  #toldByChange(decision: Decision, today: CivilDate, nowMs: number): TrialAlert[] {
    if (decision.kind !== 'change') return [];
    const { rule, subject, budgetId, alertText } = decision.request;
    if (rule.alert !== undefined) {
      const key = keyOf(decision.request);
      const before = this.#open.get(key)?.last.notifiedAs;
      this.#remember(key, rule, subject, nowMs, before === undefined || before === 'resolved' ? 'first' : 'repeat');
    }
    return [{ ...trialAlert(today, rule, 'change', subject, alertText), budgetId }];
  }

  #firing(key: string, verdict: Verdict, today: CivilDate, nowMs: number): TrialAlert[] {
    const { rule, subject } = verdict;
    const severity = rule.alert?.severity ?? 'info';
    const now = { firing: true, severity, silenced: false };
    const { kind } = decideNotification(this.#open.get(key)?.last, now, nowMs, this.#policy);
    if (kind === 'nothing') return [];
    this.#remember(key, rule, subject, nowMs, kind);
    return [trialAlert(today, rule, kind, subject, verdict.alertText())];
  }

  #remember(
    key: string,
    rule: Rule,
    subject: Subject,
    nowMs: number,
    notifiedAs: LastNotification['notifiedAs'],
  ): void {
    const notifiedSeverity = rule.alert?.severity ?? 'info';
    const firedAtMs = notifiedAs === 'first' ? nowMs : (this.#open.get(key)?.last.firedAtMs ?? nowMs);
    this.#open.set(key, { rule, subject, last: { firedAtMs, notifiedAtMs: nowMs, notifiedAs, notifiedSeverity } });
  }
}

function trialAlert(
  day: CivilDate,
  rule: Rule,
  kind: TrialAlert['kind'],
  subject: Subject,
  text: string | undefined,
): TrialAlert {
  return { day, rule, kind, subject, budgetId: subject.budgetId, text };
}

const keyOf = ({ rule, subject }: Pick<Verdict, 'rule' | 'subject'>): string => `${rule.name} ${subjectKey(subject)}`;

function isOver(verdict: Verdict | undefined, evaluation: RuleEvaluation | undefined): boolean {
  return evaluation?.kind === 'evaluated' && verdict?.truth !== 'true' && verdict?.truth !== 'unknown';
}
