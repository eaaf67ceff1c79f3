import { addDays, type CivilDate, type DateRange } from '../../../domain/civil-date.ts';
import type { Micros } from '../../../domain/micros.ts';
import { exactText, multiply, type Rational, rational } from '../../../domain/rational.ts';
import type { CheckedValue } from '../check/checked-expression.ts';
import type { RequestedChange, Subject, Verdict } from '../decide/decision.ts';
import { requestChanges } from '../decide/request-changes.ts';
import { leftOutWords } from '../decide/what-serves.ts';
import type { PaceFinding } from '../pacing/evaluate-pace.ts';
import type { PaceReading } from '../pacing/pace.ts';
import { explainPace, paceNumbers, rateText, shownRate } from '../pacing/pace-words.ts';
import type { MeasuredBudget } from '../reallocation/measured-budget.ts';
import type { Rule } from '../rule.ts';
import { sidesOfCondition, withParts } from './collect-values.ts';
import type { CompiledRule } from './compile-rule.ts';
import { type DecidedNumber, exactIn, listNumbers } from './decided-number.ts';
import type { Truth } from './evaluate-condition.ts';
import {
  type Clause,
  clausesOf,
  explainCondition,
  explainValue,
  type Findings,
  renderTemplate,
  unitOf,
} from './explain.ts';
import { rangesOf } from './resolve-window.ts';
import type { Candidate } from './subjects.ts';

/** Each computed value precedes its operands. */
function numbersOfRule({ when, change }: Pick<Rule, 'when' | 'change'>, findings: Findings): DecidedNumber[] {
  const numbers = [
    ...(when === undefined
      ? []
      : sidesOfCondition(when.tree).flatMap((side) => numbersOfSide(side, when.text, findings))),
    ...(change?.kind === 'to' ? numbersOfSide(change.value, change.text, findings) : []),
    ...(change?.kind === 'reallocate' ? numbersOfSide(change.by.tree, change.by.text, findings) : []),
  ];
  return [...new Map(numbers.map((one) => [JSON.stringify([one.name, one.days]), one])).values()];
}

/** Amounts are in micros of the account's currency. */
function numbersOfPace(reading: PaceReading): DecidedNumber[] {
  const { today, period, newestSettled, current, rate } = reading;
  const yesterday = addDays(today, -1);
  const open = newestSettled === undefined ? period.from : addDays(newestSettled, 1);
  const amount = (name: string, value: Rational, days: readonly DateRange[]): DecidedNumber => {
    const inAccount = rate === undefined ? value : multiply(value, rational(rate.rate.d, rate.rate.n));
    return { name, days, computed: false, value: exactText(inAccount), unit: 'micros' };
  };
  return [
    ...(rate === undefined
      ? []
      : [{ name: 'rate', days: [], computed: false, value: rateText(shownRate(rate)), unit: 'text' } as const]),
    amount('target', reading.target, [period]),
    amount('spent', reading.spent, rangeOf(period.from, addDays(open, -1))),
    amount('unsettled', reading.unsettled, rangeOf(open, yesterday)),
    amount('ideal', reading.idealToDate, rangeOf(period.from, yesterday)),
    amount('budgeted', reading.budgeted, [period]),
    amount('projected', reading.projected, [period]),
    amount('budget', rational(current), []),
  ];
}

function rangeOf(from: CivilDate, to: CivilDate): DateRange[] {
  return from <= to ? [{ from, to }] : [];
}

function numbersOfSide(side: CheckedValue, text: string, findings: Findings): DecidedNumber[] {
  const read = readFor(side).map((part) => numberOf(part, text, findings, false));
  if (read.length === 0 || isRead(side)) return read;
  return [numberOf(side, text, findings, true), ...read];
}

function numberOf(part: CheckedValue, text: string, findings: Findings, computed: boolean): DecidedNumber {
  const windows = withParts(part).flatMap((one) => (one.kind === 'metric' ? [findings.daysOf(one.metric)] : []));
  const about = {
    name: text.slice(part.span.start.offset, part.span.end.offset),
    days: [...new Map(windows.flatMap(rangesOf).map((range) => [`${range.from} ${range.to}`, range])).values()],
    computed,
  };
  const value = findings.valueFor(part);
  if (value === undefined) return { ...about, value: null, unit: null };
  if (typeof value === 'string') return { ...about, value, unit: 'text' };
  const unit = unitOf(part);
  return { ...about, value: exactIn(unit, value), unit };
}

function readFor(tree: CheckedValue): CheckedValue[] {
  if (isRead(tree)) return [tree];
  switch (tree.kind) {
    case 'negation':
      return readFor(tree.operand);
    case 'arithmetic':
      return [tree.left, tree.right].flatMap(readFor);
    case 'by_weekday':
    case 'coalesce':
      return tree.values.flatMap(readFor);
    default:
      return [];
  }
}

/** A name such as `ctr` is a quotient whose sides start at the same position of the text. */
function isRead(tree: CheckedValue): boolean {
  if (tree.kind === 'arithmetic') return tree.left.span.start.offset === tree.right.span.start.offset;
  return tree.kind === 'metric' || tree.kind === 'attribute' || tree.kind === 'budget' || tree.kind === 'clock';
}

export interface Judgement {
  readonly kind: 'evaluated';
  readonly counts: Readonly<Record<Truth, number>>;
  /** Sorted by subject ids. */
  readonly verdicts: readonly Verdict[];
}

/** If false, the verdict is counted but not returned. */
export type Keep = (truth: Truth, rule: Rule, subject: Subject) => boolean;

export type Ledger = ReturnType<typeof openLedger>;

export function openLedger(compiled: CompiledRule, currency: string | undefined, keep: Keep) {
  const counts: Record<Truth, number> = { true: 0, false: 0, unknown: 0 };
  const verdicts: Verdict[] = [];
  const judgement: Judgement = { kind: 'evaluated', counts, verdicts };
  const judge = (candidate: Candidate): void => {
    const pace = compiled.paceOf?.(candidate);
    const isStill = compiled.moves !== undefined && movedTo(compiled, candidate) === undefined;
    const truth = isStill ? 'false' : together(compiled.when(candidate.figures), pace);
    counts[truth] += 1;
    if (keep(truth, compiled.rule, candidate.subject)) {
      verdicts.push(new SubjectVerdict(compiled, candidate, truth, pace, currency));
    }
  };
  return { compiled, judge, judgement };
}

const movedTo = ({ moves }: CompiledRule, { subject }: Candidate): Micros | undefined =>
  subject.budgetId && moves?.get(subject.budgetId);

function together(when: Truth, pace: PaceFinding | undefined): Truth {
  if (pace === undefined || when === 'false') return when;
  if (pace.fires === false) return 'false';
  return pace.fires === undefined ? 'unknown' : when;
}

/** Builds texts on demand, because a run can have millions of verdicts. */
class SubjectVerdict implements Verdict {
  readonly rule: Rule;
  readonly subject: Subject;
  readonly truth: Truth;
  readonly #compiled: CompiledRule;
  readonly #candidate: Candidate;
  readonly #pace: PaceFinding | undefined;
  readonly #currency: string | undefined;

  constructor(
    compiled: CompiledRule,
    candidate: Candidate,
    truth: Truth,
    pace: PaceFinding | undefined,
    currency: string | undefined,
  ) {
    this.#pace = pace;
    this.rule = compiled.rule;
    this.subject = candidate.subject;
    this.truth = truth;
    this.#compiled = compiled;
    this.#candidate = candidate;
    this.#currency = currency;
  }

  explain(): string {
    const { when, change } = this.rule;
    const lasting = this.#compiled.lasting(this.#candidate.figures);
    const days = lasting === undefined ? this.#compiled.days : `${this.#compiled.days}; ${lasting}`;
    const condition = when && `${explainCondition(when, this.#findings())}, ${days}`;
    const value = change?.kind === 'reallocate' ? `${explainValue(change.by, this.#findings())}, ${days}` : undefined;
    const { leftOut } = this.#candidate;
    const without = leftOut.length > 0 ? leftOutWords(leftOut) : undefined;
    return [condition, value, this.#pace && explainPace(this.#pace.reading), without]
      .filter((part) => part !== undefined)
      .join('; ');
  }

  clauses(): readonly Clause[] {
    const { when } = this.rule;
    if (when === undefined) return [];
    const findings = this.#findings();
    const clauses = clausesOf(when, findings);
    if (findings.truthOf(when.tree) === this.truth) return clauses;
    return clauses.map((clause) => ({ ...clause, decided: false }));
  }

  numbersText(): string | undefined {
    const { when } = this.rule;
    const numbers = listNumbers(numbersOfRule({ when, change: undefined }, this.#findings()), this.#currency);
    if (when !== undefined && numbers === undefined) return undefined;
    const ofCondition = numbers === undefined ? [] : [`${numbers}, ${this.#compiled.days}`];
    return [...ofCondition, ...(this.#pace ? [paceNumbers(this.#pace.reading)] : [])].join('; ');
  }

  alertText(): string | undefined {
    const { alert } = this.rule;
    return this.truth === 'true' && alert !== undefined ? renderTemplate(alert.text, this.#findings()) : undefined;
  }

  requests(): readonly RequestedChange[] {
    if (this.truth !== 'true') return [];
    const findings = this.#findings();
    const ofPace = this.#pace ? numbersOfPace(this.#pace.reading) : [];
    const said = {
      because: this.explain(),
      numbers: [...numbersOfRule(this.rule, findings), ...ofPace],
      alertText: this.alertText(),
    };
    return requestChanges(
      this.rule,
      this.subject,
      this.#candidate,
      findings,
      said,
      this.#pace,
      movedTo(this.#compiled, this.#candidate),
    );
  }

  get pace(): PaceReading | undefined {
    return this.#pace?.reading;
  }

  get measured(): MeasuredBudget | undefined {
    const { change } = this.rule;
    const { budgets, stopped } = this.#candidate;
    const [budget] = budgets;
    if (change?.kind !== 'reallocate' || budget === undefined || stopped.has(budget.budgetId)) return undefined;
    const { budgetId, amount } = budget;
    const value = this.#findings().valueFor(change.by.tree);
    const words = `${explainValue(change.by, this.#findings())} of ${this.subject.label}`;
    return {
      budgetId,
      amount,
      value: typeof value === 'object' ? value : undefined,
      words,
      since: this.#compiled.since,
    };
  }

  #findings(): Findings {
    return this.#compiled.findingsOf(this.#candidate.figures, this.#currency);
  }
}
