import type { Diagnostic, Span } from '../domain/diagnostic.ts';
import type { Catalogue } from '../gaql/catalogue/catalogue.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import type { YamlPlaces } from '../yaml/read-yaml.ts';
import { checkCondition } from './check-expression.ts';
import { checkLimits } from './check-limits.ts';
import { refusalOf } from './check-window.ts';
import type { CheckedCondition } from './checked-expression.ts';
import type { Scope, TableDays } from './checking.ts';
import { reachOf } from './data-reach.ts';
import { checkPace } from './pacing/check-pace.ts';
import { parseCondition } from './parse-expression.ts';
import { readChange } from './read-change.ts';
import { readTemplate } from './read-template.ts';
import type { BudgetChange, Limits, TemplatePart, Written } from './rule.ts';
import { type Meaning, namesOf, type Place } from './rule-names.ts';
import { type LooseRuleFile, OVER, readLasting } from './rule-schema.ts';
import { tableFields } from './table-fields.ts';
import type { Window } from './window.ts';

/** The parts of a rule file that say something about the table, each judged by itself: one that is wrong hides no other. */
export interface CheckedParts {
  readonly where: Written<CheckedCondition> | undefined;
  readonly over: Window | undefined;
  readonly when: Written<CheckedCondition> | undefined;
  readonly change: BudgetChange | undefined;
  readonly limits: Limits;
  readonly alert: readonly TemplatePart[];
  readonly diagnostics: readonly Diagnostic[];
  /** Where amounts of money stand in the file. */
  readonly amounts: readonly Span[];
}

/** What was found in one key's text, with spans that point into it. */
interface Findings {
  readonly diagnostics: readonly Diagnostic[];
  readonly amountAt: Span | undefined;
  readonly usesOwnDays: boolean;
  readonly usesDays?: boolean;
}

/** Without a query the texts are read, and their names are not looked at. */
export function checkParts(
  file: LooseRuleFile,
  places: YamlPlaces,
  query: QueryFile | undefined,
  settleDays = 0,
  catalogue?: Catalogue,
): CheckedParts {
  const over = readOver(file.over);
  // One that is written wrongly is told as that; metrics do not lack one then.
  const scopeOf =
    query && scopes(file, over ?? (places.has(['over']) ? ANY_WINDOW : undefined), query, settleDays, catalogue);
  const values = scopeOf?.('values');
  const diagnostics: Diagnostic[] = [];
  const amounts: Span[] = [];
  let usesOwnDays = false;
  /** Takes down what was found, at its place in the file. */
  const collect = <Found extends Findings>(path: readonly string[], found: Found): Found => {
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
  const pace = checkPace(file.pace, places);
  diagnostics.push(...pace.diagnostics);
  amounts.push(...pace.amounts);
  const change = read?.kind === 'pace' ? { ...read, pace: { ...pace.options, amount: read.pace.amount } } : read;
  const alert = file.alert?.text ? collect(['alert', 'text'], readTemplate(file.alert.text, values)).parts : [];
  const limits = checkLimits(file.limits ?? {}, places, values);
  diagnostics.push(...limits.diagnostics);
  amounts.push(...limits.amounts);
  // What is paced is of now, however long the condition must last.
  const now = values && { ...values, data: { ...values.data, earlierDays: 0 } };
  const ofMonth = read?.kind === 'pace' && now ? refusalOf({ kind: 'month_to_date' }, now) : undefined;
  if (ofMonth) diagnostics.push({ ...ofMonth, severity: 'error', span: places.spanOf(['change']) });
  const refusal = over && values && (usesOwnDays || limits.usesOwnDays) && refusalOf(over, values);
  if (refusal) diagnostics.push({ ...refusal, severity: 'error', span: places.spanOf(['over']) });
  if (when && !when.usesDays && !places.has(['over'])) diagnostics.push(noDays(places.spanOf(['when'])));
  return {
    where: where && { tree: where.tree, text: where.text },
    when: when && { tree: when.tree, text: when.text },
    ...{ over, change, alert, amounts, limits: limits.limits, diagnostics: once(diagnostics) },
  };
}

const ANY_WINDOW: Window = { kind: 'days', days: 1 };

function readOver(text: string | undefined): Window | undefined {
  const [whole, days, month, yesterday] = OVER.exec(text?.trim() ?? '') ?? [];
  if (whole === undefined) return undefined;
  if (days !== undefined) return { kind: 'days', days: Number(days) };
  if (month !== undefined) return { kind: 'month_to_date' };
  return { kind: yesterday === undefined ? 'today' : 'yesterday' };
}

function scopes(
  file: LooseRuleFile,
  over: Window | undefined,
  query: QueryFile,
  settleDays: number,
  catalogue: Catalogue | undefined,
): (place: Place) => Scope {
  const { name, columns, window } = query;
  const fields = catalogue && tableFields(query, catalogue);
  const reach = window ? reachOf(window) : UNDATED;
  const data: TableDays = { table: name, reach, settleDays, earlierDays: (readLasting(file.lasting) ?? 1) - 1 };
  return (place) => ({ names: namesFor(file, columns, place), place, over, data, fields });
}

/** A table without days is refused as that, not for each of the windows. */
const UNDATED = { kind: 'moving', oldest: Number.POSITIVE_INFINITY, newest: 0 } as const;

/** Where it is not said what the rule is for, every name may be right. */
function namesFor(file: LooseRuleFile, columns: QueryFile['columns'], place: Place): ReadonlyMap<string, Meaning> {
  if (file.for !== undefined) return namesOf(columns, file.for, place);
  return new Map([...namesOf(columns, 'campaign', place), ...namesOf(columns, 'keyword', place), ['budget', BUDGET]]);
}

const BUDGET: Meaning = { kind: 'budget' };

function readCondition(text: string, scope: Scope | undefined): Findings & { tree?: CheckedCondition | undefined } {
  const parsed = parseCondition(text);
  if (parsed.kind === 'refused') return { ...NOTHING_FOUND, diagnostics: parsed.diagnostics };
  return scope ? checkCondition(parsed.tree, scope, text) : NOTHING_FOUND;
}

const NOTHING_FOUND: Findings = { diagnostics: [], amountAt: undefined, usesOwnDays: false, usesDays: false };

function noDays(span: Span): Diagnostic {
  const message = 'The rule names no days: there is no metric in "when" and no "over".';
  return { code: 'MISSING_WINDOW', severity: 'error', span, message, hint: 'Add over: 7 days to the rule.' };
}

/** That the rule has no window of its own is one mistake, however many metrics would need it. */
function once(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const sorted = diagnostics.toSorted((one, other) => one.span.start.offset - other.span.start.offset);
  const first = sorted.find(({ code }) => code === 'MISSING_WINDOW');
  return sorted.filter((each) => each.code !== 'MISSING_WINDOW' || each === first);
}
