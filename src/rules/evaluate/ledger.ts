import type { Subject, Verdict, Wish } from '../decide/decision.ts';
import { makePaceWishes, makeWishes } from '../decide/make-wishes.ts';
import { leftOutWords } from '../decide/what-serves.ts';
import type { PaceFinding } from '../pacing/evaluate-pace.ts';
import type { PaceReading } from '../pacing/pace-reading.ts';
import { explainPace, paceNumbers } from '../pacing/pace-words.ts';
import type { Rule } from '../rule.ts';
import { numbersOfPace, numbersOfRule } from './collect-numbers.ts';
import type { CompiledRule } from './compile-rule.ts';
import { listNumbers } from './decided-number.ts';
import type { Truth } from './evaluate-condition.ts';
import { type Clause, clausesOf, explainCondition, type Findings, renderTemplate } from './explain.ts';
import type { Candidate } from './subjects.ts';

/** What a rule says of an account's subjects. */
export interface Judgement {
  readonly kind: 'evaluated';
  /** How many subjects it says what of. */
  readonly counts: Readonly<Record<Truth, number>>;
  /** Those that were to be kept, by the ids of their subjects. */
  readonly verdicts: readonly Verdict[];
}

/** Whether the verdict on a subject is wanted beyond its count. Asked for every subject. */
export type Keep = (truth: Truth, rule: Rule, subject: Subject) => boolean;

/** What one rule says of its subjects, one after the other. */
export class Ledger {
  readonly compiled: CompiledRule;
  readonly #currency: string | undefined;
  readonly #keep: Keep;
  readonly #counts: Record<Truth, number> = { true: 0, false: 0, unknown: 0 };
  readonly #verdicts: Verdict[] = [];

  constructor(compiled: CompiledRule, currency: string | undefined, keep: Keep) {
    this.compiled = compiled;
    this.#currency = currency;
    this.#keep = keep;
  }

  judge(candidate: Candidate): void {
    const pace = this.compiled.paceOf?.(candidate);
    const truth = together(this.compiled.when(candidate.figures), pace);
    this.#counts[truth] += 1;
    if (this.#keep(truth, this.compiled.rule, candidate.subject)) {
      this.#verdicts.push(new SubjectVerdict(this.compiled, candidate, truth, pace, this.#currency));
    }
  }

  judgement(): Judgement {
    return { kind: 'evaluated', counts: this.#counts, verdicts: this.#verdicts };
  }
}

/** A rule that paces fires where its condition holds and its budgets are to be changed. */
function together(when: Truth, pace: PaceFinding | undefined): Truth {
  if (pace === undefined || when === 'false') return when;
  if (pace.fires === false) return 'false';
  return pace.fires === undefined ? 'unknown' : when;
}

/** There may be millions of them: what is for people is worked out when they ask for it. */
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
    const { when } = this.rule;
    const lasting = this.#compiled.lasting(this.#candidate.figures);
    const days = lasting === undefined ? this.#compiled.days : `${this.#compiled.days}; ${lasting}`;
    const condition = when && `${explainCondition(when, this.#findings())}, ${days}`;
    const { leftOut } = this.#candidate;
    const without = leftOut.length > 0 ? leftOutWords(leftOut) : undefined;
    return [condition, this.#pace && explainPace(this.#pace.reading, this.#currency), without]
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
    return [...ofCondition, ...(this.#pace ? [paceNumbers(this.#pace.reading, this.#currency)] : [])].join('; ');
  }

  alertText(): string | undefined {
    const { alert } = this.rule;
    return this.truth === 'true' && alert !== undefined ? renderTemplate(alert.text, this.#findings()) : undefined;
  }

  wishes(): readonly Wish[] {
    if (this.truth !== 'true') return [];
    const findings = this.#findings();
    const ofPace = this.#pace ? numbersOfPace(this.#pace.reading) : [];
    const said = {
      because: this.explain(),
      numbers: [...numbersOfRule(this.rule, findings), ...ofPace],
      alertText: this.alertText(),
    };
    if (this.#pace) return makePaceWishes(this.rule, this.subject, this.#pace, findings, said);
    return makeWishes(this.rule, this.subject, this.#candidate, findings, said);
  }

  pace(): PaceReading | undefined {
    return this.#pace?.reading;
  }

  #findings(): Findings {
    return this.#compiled.findingsOf(this.#candidate.figures, this.#currency);
  }
}
