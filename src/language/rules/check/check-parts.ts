import { daysBetween, WEEKDAYS } from '../../../domain/civil-date.ts';
import { type Diagnostic, finding, type Span, spanAt } from '../../../domain/diagnostic.ts';
import { AMOUNT_RANGE, parseAmount, unitsOf } from '../../../domain/micros.ts';
import { compare, formatRational, type Rational, rational } from '../../../domain/rational.ts';
import { listed } from '../../../domain/wording.ts';
import type { Catalogue } from '../../gaql/catalogue/catalogue.ts';
import type { YamlPlaces } from '../../yaml/read-yaml.ts';
import { valuesOfCondition } from '../evaluate/collect-values.ts';
import { columnOf, HOUR } from '../evaluate/plan-rule.ts';
import { COOLDOWN, readDays, readDrift, readStep } from '../file/limit-forms.ts';
import { LASTING, type LooseRuleFile, OVER } from '../file/rule-schema.ts';
import { type Expression, shareOf, type WrittenAmount } from '../language/expression.ts';
import { parseChange, parseCondition, parseValue } from '../language/parse-expression.ts';
import { daysWindow, type Window } from '../language/window.ts';
import { checkPace } from '../pacing/check-pace.ts';
import { flightOf, type Pace } from '../pacing/pace.ts';
import { readTarget } from '../pacing/read-target.ts';
import type { BudgetChange, Limits, RuleTable, TemplatePart, Written } from '../rule.ts';
import { checkCondition, checkWholeValue, type ExpressionCheck } from './check-expression.ts';
import { checkName } from './check-name.ts';
import { reachOf, refusalByReach, refusalOf } from './check-window.ts';
import type { CheckedCondition, CheckedValue } from './checked-expression.ts';
import { beginChecking, type Found, refuse, type Scope, type TableDays, tableFields } from './checking.ts';
import { readTemplate } from './read-template.ts';
import { type Meaning, namesOf, type Place } from './rule-names.ts';
import { mixedDaysOfTarget } from './warn-slips.ts';

function checkLimits(written: NonNullable<LooseRuleFile['limits']>, places: YamlPlaces, scope: Scope | undefined) {
  const diagnostics: Diagnostic[] = [];
  const at = (...path: string[]) => places.spanOf(['limits', ...path]);
  const impossible = (key: string, message: string, hint?: string) =>
    diagnostics.push(finding('IMPOSSIBLE_LIMITS', at(key), message, hint));
  const { floor, ceiling } = written;
  if (floor !== undefined && ceiling !== undefined && floor > ceiling) {
    const low = formatRational(unitsOf(floor), 6);
    const high = formatRational(unitsOf(ceiling), 6);
    const message = `The floor of ${low} is above the ceiling of ${high}.`;
    impossible('floor', message, 'Swap the two amounts, or remove one.');
  }
  const step = readStep(written.step);
  if (step?.n === 0n) impossible('step', 'A step of 0% allows no change.');
  if (step && compare(step, rational(1n)) >= 0) impossible('step', 'A step of 100% or more does not limit decreases.');
  const drift = readDrift(written.drift);
  if (drift?.share.n === 0n) impossible('drift', 'A drift of 0% allows no change.');
  const minimum = checkMinimum(written.minimum ?? {}, (name) => places.keySpanOf(['limits', 'minimum', name]), scope);
  const limits: Limits = {
    floor,
    ceiling,
    step,
    cooldownDays: readDays(written.cooldown, COOLDOWN),
    drift,
    minimum: minimum.minimum,
  };
  return {
    limits,
    diagnostics: [...diagnostics, ...minimum.diagnostics],
    amounts: [
      ...(floor === undefined ? [] : [at('floor')]),
      ...(ceiling === undefined ? [] : [at('ceiling')]),
      ...minimum.amounts,
    ],
    usesOwnDays: minimum.usesOwnDays,
  };
}

function checkMinimum(
  written: Readonly<Record<string, Rational | undefined>>,
  keySpan: (name: string) => Span,
  scope: Scope | undefined,
) {
  if (!scope) return { minimum: [], diagnostics: [], amounts: [], usesOwnDays: false };
  const checking = beginChecking(scope, '');
  const minimum: Limits['minimum'][number][] = [];
  for (const [name, least] of Object.entries(written)) {
    const span = keySpan(name);
    const before = checking.diagnostics.length;
    const { value, type } = checkName(checking, name, span, undefined);
    if (value && value.kind !== 'metric') {
      const message = `Found "${name}", expected a metric that can be summed, such as clicks.`;
      refuse(checking, 'OPERATOR_FIELD_MISMATCH', span, message, 'Compare it in "when".');
    }
    if (!value || least === undefined || checking.diagnostics.length > before) continue;
    if (type.kind === 'number' && type.moneyPower !== 0 && least.n !== 0n) checking.amounts.push(span);
    minimum.push({ name, value, least });
  }
  const { diagnostics, amounts, ownDaysUsed } = checking;
  return { minimum, diagnostics, amounts, usesOwnDays: ownDaysUsed > 0 };
}

export interface CheckedParts {
  readonly where: Written<CheckedCondition> | undefined;
  readonly over: Window | undefined;
  readonly when: Written<CheckedCondition> | undefined;
  readonly change: BudgetChange | undefined;
  readonly limits: Limits;
  readonly alert: readonly TemplatePart[];
  readonly diagnostics: readonly Diagnostic[];
  readonly amounts: readonly Span[];
}

/** If `query` is undefined, names are not checked. */
export function checkParts(
  file: LooseRuleFile,
  places: YamlPlaces,
  query: RuleTable | undefined,
  settleDays = 0,
  catalogue?: Catalogue,
): CheckedParts {
  const over = readOver(file.over);
  // `ANY_WINDOW` prevents a second error, because an invalid "over" is already reported.
  const scopeOf =
    query && scopes(file, over ?? (places.has(['over']) ? ANY_WINDOW : undefined), query, settleDays, catalogue);
  const values = scopeOf?.('values');
  const diagnostics: Diagnostic[] = [];
  const amounts: Span[] = [];
  let usesOwnDays = false;
  const collect = <Part extends Found>(path: readonly string[], found: Part): Part => {
    const inFile = ({ start, end }: Span) => places.stretchOf(path, start.offset, end.offset);
    for (const each of found.diagnostics) diagnostics.push({ ...each, span: inFile(each.span) });
    if (found.amountAt) amounts.push(inFile(found.amountAt));
    usesOwnDays ||= found.usesOwnDays;
    return found;
  };
  const condition = (key: 'where' | 'when', scope: Scope | undefined) => {
    const text = file[key]?.trimEnd() ?? '';
    if (text === '') return undefined;
    const { tree, usesDays } = collect([key], readCondition(text, scope));
    return tree && { tree, text, usesDays };
  };

  const where = condition('where', scopeOf?.('where'));
  const when = condition('when', values);
  const read = file.change?.trim() ? collect(['change'], readChange(file.change.trimEnd(), values)).change : undefined;
  const pace = checkPace(file.pace ?? {}, read?.kind === 'pace' ? read.pace : undefined, places);
  diagnostics.push(...pace.diagnostics);
  amounts.push(...pace.amounts);
  const by = file.reallocate?.trimEnd();
  const moving = by === undefined ? undefined : collect(['reallocate'], readReallocation(by, values)).change;
  const change = moving ?? (read?.kind === 'pace' && pace.pace ? { ...read, pace: pace.pace } : read);
  const alert = file.alert?.text ? collect(['alert', 'text'], readTemplate(file.alert.text, values)).parts : [];
  const limits = checkLimits(file.limits ?? {}, places, values);
  diagnostics.push(...limits.diagnostics);
  amounts.push(...limits.amounts);
  // `lasting` needs earlier days only for the condition, not for pacing.
  const now = values && { ...values, data: { ...values.data, earlierDays: 0 } };
  const ofPeriod = change?.kind === 'pace' && now ? refusalOfPeriod(change.pace, now) : undefined;
  if (ofPeriod) diagnostics.push({ ...ofPeriod, severity: 'error', span: places.spanOf(['change']) });
  const refusal = over && values && (usesOwnDays || limits.usesOwnDays) && refusalOf(over, values);
  if (refusal) diagnostics.push({ ...refusal, severity: 'error', span: places.spanOf(['over']) });
  const kinds = new Set(when && valuesOfCondition(when.tree).map(({ kind }) => kind));
  const isOfClock = kinds.has('clock') && !kinds.has('attribute') && !kinds.has('budget');
  if (when && !when.usesDays && !isOfClock && !places.has(['over'])) {
    const message = 'The rule has no days: "when" has no metric, and "over" is missing.';
    diagnostics.push(finding('MISSING_WINDOW', places.spanOf(['when']), message, ADD_OVER));
  }
  return {
    where: where && { tree: where.tree, text: where.text },
    when: when && { tree: when.tree, text: when.text },
    over,
    change,
    alert,
    amounts,
    limits: limits.limits,
    diagnostics: once(diagnostics),
  };
}

/** On the last day of a flight, the table must still have the flight's first day. */
function refusalOfPeriod(pace: Pace, scope: Scope) {
  const flight = flightOf(pace);
  if (flight === undefined) return refusalOf({ kind: 'month_to_date' }, scope);
  const { from, to } = flight;
  const newest = 1 + scope.data.settleDays;
  const needed = { oldest: Math.max(daysBetween(from, to), newest), newest };
  return refusalByReach(`from ${from} to ${to}`, needed, scope.data);
}

const ADD_OVER = 'Add "over: 7 days" to the rule.';
const ANY_WINDOW: Window = { kind: 'days', days: 1 };

function readOver(text: string | undefined): Window | undefined {
  const [whole, count, weeks, month, yesterday] = OVER.exec(text?.trim() ?? '') ?? [];
  if (whole === undefined) return undefined;
  if (count !== undefined) return daysWindow('days', Number(count), weeks !== undefined);
  if (month !== undefined) return { kind: 'month_to_date' };
  return { kind: yesterday === undefined ? 'today' : 'yesterday' };
}

function scopes(
  file: LooseRuleFile,
  over: Window | undefined,
  query: RuleTable,
  settleDays: number,
  catalogue: Catalogue | undefined,
): (place: Place) => Scope {
  const { name, columns, window } = query;
  const fields = catalogue && tableFields(query, catalogue);
  const reach = window ? reachOf(window) : UNDATED;
  const earlierDays = (readDays(file.lasting, LASTING) ?? 1) - 1;
  const hasHours = columnOf(columns, HOUR) !== undefined;
  const data: TableDays = { table: name, reach, settleDays, earlierDays, hasHours };
  return (place) => ({ names: namesFor(file, columns, place), place, over, data, fields });
}

/** Accepts every window, because another check reports a table without days. */
const UNDATED = { kind: 'moving', oldest: Number.POSITIVE_INFINITY, newest: 0 } as const;

/** If `for` is missing, the names of all subjects are valid. */
function namesFor(file: LooseRuleFile, columns: RuleTable['columns'], place: Place): ReadonlyMap<string, Meaning> {
  if (file.for !== undefined) return namesOf(columns, file.for, place);
  return new Map([...namesOf(columns, 'campaign', place), ...namesOf(columns, 'keyword', place), ['budget', BUDGET]]);
}

const BUDGET: Meaning = { kind: 'budget' };

function readCondition(text: string, scope: Scope | undefined): ExpressionCheck<CheckedCondition> {
  const parsed = parseCondition(text);
  if (parsed.kind === 'refused') return { ...NOTHING_FOUND, diagnostics: parsed.diagnostics };
  return scope ? checkCondition(parsed.tree, scope, text) : NOTHING_FOUND;
}

const NOTHING_FOUND = { tree: undefined, diagnostics: [], amountAt: undefined, usesOwnDays: false, usesDays: false };

function once(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const sorted = diagnostics.toSorted((one, other) => one.span.start.offset - other.span.start.offset);
  const first = sorted.find(({ code }) => code === 'MISSING_WINDOW');
  return sorted.filter((each) => each.code !== 'MISSING_WINDOW' || each === first);
}

interface ChangeReading extends Found {
  readonly change: BudgetChange | undefined;
}

const PERCENT = /^\d{1,5}(?:\.\d{1,6})?$/;

function readChange(text: string, scope: Scope | undefined): ChangeReading {
  const parsed = parseChange(text);
  const none = { change: undefined, amountAt: undefined, usesOwnDays: false };
  if (parsed.kind === 'refused') return { ...none, diagnostics: parsed.diagnostics };
  const written = parsed.tree;
  if (written.kind === 'by') {
    const { direction, digits, percent, bySpan } = written;
    const by = percent ? readShare(digits, direction) : readAmount(digits);
    if (typeof by === 'string') return { ...none, diagnostics: [badValue(bySpan, by)] };
    const amountAt = percent ? undefined : bySpan;
    return { change: { kind: 'by', direction, by, text }, diagnostics: [], amountAt, usesOwnDays: false };
  }
  if (written.kind === 'pace') return { ...readTarget(written, text), usesOwnDays: false };
  if (!scope) return { ...none, diagnostics: [] };
  if (written.kind === 'by_weekday') return readWeekdays(written.amounts, scope, text);
  const { value, ...found } = readNewAmount(written.value, scope, text);
  return { ...found, change: value && { kind: 'to', value, text } };
}

function readReallocation(text: string, scope: Scope | undefined): ChangeReading {
  const parsed = parseValue(text);
  const none = { change: undefined, amountAt: undefined, usesOwnDays: false };
  if (parsed.kind === 'refused' || !scope) {
    return { ...none, diagnostics: parsed.kind === 'refused' ? parsed.diagnostics : [] };
  }
  const { tree, type, usesDays, ...found } = checkWholeValue(parsed.tree, scope, text);
  const isNumber = type.kind === 'number' && usesDays;
  const message = `Found ${type.kind === 'text' ? 'text' : 'no metric'}, expected a number such as conversions_value / cost.`;
  const wrong = tree && !isNumber ? [finding('OPERATOR_FIELD_MISMATCH', parsed.tree.span, message)] : [];
  const change =
    tree && isNumber ? ({ kind: 'reallocate', by: { tree, text }, text: `reallocate by ${text}` } as const) : undefined;
  return { ...found, change, diagnostics: [...found.diagnostics, ...wrong] };
}

interface AmountReading extends Found {
  readonly value: CheckedValue | undefined;
}

function readNewAmount(written: Expression, scope: Scope, text: string): AmountReading {
  const { tree, type, diagnostics, amountAt, usesOwnDays } = checkWholeValue(written, scope, text);
  const { span } = written;
  const isFree = type.kind === 'number' && type.literal;
  const found = [...diagnostics];
  if (type.kind === 'text' || (type.kind === 'number' && !isFree && type.moneyPower !== 1)) {
    const message = `Found ${type.kind === 'text' ? 'text' : 'a plain number'}, expected an amount of money for the new budget.`;
    const hint = 'cost and budget are amounts. Example: "set budget to 1.1 * budget".';
    found.push(finding('OPERATOR_FIELD_MISMATCH', span, message, hint));
  }
  if (tree?.kind === 'number' && tree.value.n === 0n)
    found.push(badValue(span, 'Found a budget of 0, expected an amount above zero.'));
  if (tree?.kind === 'negation' && tree.operand.kind === 'number' && tree.operand.value.n !== 0n) {
    const amount = text.slice(span.start.offset, span.end.offset);
    found.push(badValue(span, `Found a budget of ${amount}, expected an amount above zero.`));
  }
  const mixed = tree && found.length === 0 ? mixedDaysOfTarget(tree, text) : undefined;
  if (mixed) found.push(mixed);
  const failed = found.some(({ severity }) => severity === 'error');
  const value = failed ? undefined : tree;
  return { value, diagnostics: found, amountAt: amountAt ?? (isFree ? span : undefined), usesOwnDays };
}

/** Every weekday needs an amount, because a budget would keep that of the day before. */
function readWeekdays(amounts: readonly WrittenAmount[], scope: Scope, text: string): ChangeReading {
  const read = amounts.map((one) => ({ ...one, ...readNewAmount(one.value, scope, text), span: one.value.span }));
  const diagnostics = read.flatMap((one) => one.diagnostics);
  const ofDay = new Map<string, AmountReading>();
  for (const one of read) {
    for (const { from, to, span } of one.days ?? []) {
      for (const day of weekdaysFrom(from, to)) {
        if (ofDay.has(day)) diagnostics.push(badValue(span, `${day} has two amounts.`, 'Remove one of them.'));
        ofDay.set(day, one);
      }
    }
  }
  const whole = spanAt(text, 0, text.length);
  const missing = WEEKDAYS.filter((day) => !ofDay.has(day));
  const [others, ...more] = read.filter(({ days }) => days === undefined);
  if (missing.length > 0 && others === undefined) {
    diagnostics.push(badValue(whole, `${listed(missing)} would have no amount.`, 'Add ", else 50" with your amount.'));
  }
  const unused = missing.length === 0 ? others : more[0];
  if (unused !== undefined) {
    const message = 'Found "else" without effect: every weekday has an amount.';
    diagnostics.push(badValue(unused.span, message, 'Remove it.'));
  }
  const values = WEEKDAYS.flatMap((day) => (ofDay.get(day) ?? others)?.value ?? []);
  const failed = values.length < WEEKDAYS.length || diagnostics.some(({ severity }) => severity === 'error');
  return {
    change: failed ? undefined : { kind: 'to', value: { kind: 'by_weekday', values, span: whole }, text },
    diagnostics,
    amountAt: read.flatMap(({ amountAt }) => amountAt ?? [])[0],
    usesOwnDays: read.some(({ usesOwnDays }) => usesOwnDays),
  };
}

function weekdaysFrom(from: string, to: string): readonly string[] {
  const place = (name: string) => WEEKDAYS.findIndex((day) => day.toLowerCase() === name.toLowerCase());
  const count = ((place(to) - place(from) + WEEKDAYS.length) % WEEKDAYS.length) + 1;
  return [...WEEKDAYS, ...WEEKDAYS].slice(place(from), place(from) + count);
}

type By = Extract<BudgetChange, { kind: 'by' }>['by'];

function readShare(digits: string, direction: 'increase' | 'decrease'): By | string {
  const share = PERCENT.test(digits) ? shareOf(digits) : undefined;
  if (!share) return `Found ${digits}%, expected a percentage below 100000% with at most six decimals.`;
  if (share.n === 0n) return 'A change by 0% changes nothing.';
  if (direction === 'decrease' && compare(share, rational(1n)) >= 0)
    return 'A decrease by 100% or more leaves no budget.';
  return { kind: 'share', share };
}

function readAmount(digits: string): By | string {
  const amount = parseAmount(digits);
  if (amount === undefined) return `Found ${digits}, expected an amount ${AMOUNT_RANGE}.`;
  return amount === 0n ? 'A change by 0 changes nothing.' : { kind: 'amount', amount };
}

const badValue = (span: Span, message: string, hint?: string) => finding('BAD_VALUE', span, message, hint);
