import * as z from 'zod';
import { type Diagnostic, type Span, spanAt } from '../domain/diagnostic.ts';
import { parseAmount } from '../domain/micros.ts';
import { compare, divide, parseDecimal, type Rational, rational } from '../domain/rational.ts';
import { questionOf } from '../gaql/check/query-for-range.ts';
import { didYouMean } from '../gaql/check/suggest.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { readYaml, type YamlPlaces } from '../yaml/read-yaml.ts';
import { amount, currencyCode, nonEmptyText } from '../yaml/scalars.ts';
import { checkExpression } from './check-expression.ts';
import { parseExpression } from './parse-expression.ts';
import { type BudgetChange, MODES, type Rule } from './rule.ts';
import { namesOf } from './rule-names.ts';

const OVER = /^([1-9]\d{0,2}) days?$/;
/** Percentages stay small enough for any budget times them to be an int64 of micros. */
const CHANGE = /^(increase|decrease) budget by (?:(\d{1,5}(?:\.\d{1,6})?)%|(\d{1,12}(?:\.\d{1,6})?))$/;

const fileSchema = z.strictObject({
  description: nonEmptyText,
  from: nonEmptyText,
  for: z.enum(['campaign']),
  over: z.string({ error: 'days such as "7 days"' }).regex(OVER, { error: 'days such as "7 days"' }),
  when: nonEmptyText,
  currency: currencyCode.optional(),
  change: z.string({ error: 'a change' }).regex(CHANGE, {
    error: '"increase budget by 10%", "decrease budget by 15%" or an amount in place of the percentage',
  }),
  limits: z.strictObject({ floor: amount, ceiling: amount, step: nonEmptyText }).partial().default({}),
  mode: z.enum(MODES).default('propose'),
});

export interface RuleFileCheck {
  readonly rule: Rule | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The fields that mean something beyond their own form, as far as they are there. */
const meaningSchema = z.looseObject({
  from: z.string().optional().catch(undefined),
  when: z.string().optional().catch(undefined),
  change: z.string().optional().catch(undefined),
  limits: z
    .looseObject({ step: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** The tables a rule may read: checked queries by name, and the names of query files that have errors of their own. */
interface Tables {
  readonly queries: ReadonlyMap<string, QueryFile>;
  readonly broken: ReadonlySet<string>;
}

/**
 * Checks a rule file's text against the tables it may read; every finding at once. `queries` holds the checked queries
 * by name; `broken` the names of query files that have errors of their own, which are not repeated here.
 */
export function checkRuleFile(
  name: string,
  source: string,
  queries: ReadonlyMap<string, QueryFile>,
  broken: ReadonlySet<string> = new Set(),
): RuleFileCheck {
  const loose = readYaml(source, meaningSchema);
  if (loose.kind === 'refused') return { rule: undefined, diagnostics: loose.diagnostics };
  const reading = readYaml(source, fileSchema);
  const meaning = checkMeaning(loose.value, { queries, broken }, source, loose.places);
  const diagnostics = [...(reading.kind === 'refused' ? reading.diagnostics : []), ...meaning.diagnostics];
  if (reading.kind === 'ok') diagnostics.push(...checkLimits(reading.value.limits, reading.places));
  diagnostics.sort((one, other) => one.span.start.offset - other.span.start.offset);

  const { query, change, condition, step } = meaning;
  if (diagnostics.length > 0 || reading.kind === 'refused' || !query || !change || !condition?.tree) {
    return { rule: undefined, diagnostics };
  }
  const file = reading.value;
  const { floor, ceiling } = file.limits;
  const rule: Rule = {
    name,
    description: file.description,
    from: file.from,
    queryText: questionOf(query),
    columns: query.columns,
    overDays: Number(OVER.exec(file.over)?.[1]),
    when: condition.tree,
    whenText: file.when,
    change,
    limits: { floor, ceiling, step },
    currency: file.currency,
    namesMoney: condition.namesMoney || floor !== undefined || ceiling !== undefined || change.by.kind === 'amount',
    mode: file.mode,
  };
  return { rule, diagnostics };
}

function checkLimits({ floor, ceiling }: z.output<typeof fileSchema>['limits'], places: YamlPlaces): Diagnostic[] {
  if (floor === undefined || ceiling === undefined || floor <= ceiling) return [];
  const span = places.spanOf(['limits', 'floor']);
  return [{ code: 'IMPOSSIBLE_LIMITS', severity: 'error', span, message: 'The floor is above the ceiling.' }];
}

/** What the fields say to each other and to the table, each judged by itself: one that is wrong hides no other. */
function checkMeaning(
  file: z.output<typeof meaningSchema>,
  { queries, broken }: Tables,
  source: string,
  places: YamlPlaces,
): {
  readonly query: QueryFile | undefined;
  readonly change: BudgetChange | undefined;
  readonly step: Rational | undefined;
  readonly condition: ReturnType<typeof checkWhen> | undefined;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const report = (code: string, span: Span, message: string, hint?: string) =>
    diagnostics.push({ code, severity: 'error', span, message, ...(hint === undefined ? {} : { hint }) });

  const from = file.from?.trim() || undefined;
  const query = from === undefined ? undefined : queries.get(from);
  if (from !== undefined && !query && !broken.has(from)) {
    const hint = didYouMean(from, queries.keys()) ?? `Tables are ${[...queries.keys()].join(', ') || 'none yet'}.`;
    report('UNKNOWN_TABLE', places.spanOf(['from']), `There is no query file for a table "${from}".`, hint);
  }
  if (query) checkTable(query, places.spanOf(['from']), report);

  const written = file.limits?.step;
  const step = written === undefined ? undefined : readShare(written);
  if (written !== undefined && step === undefined) {
    const message = `Found "${written}" for "limits.step", expected a percentage above 0% and below 100% such as 20%.`;
    report('BAD_VALUE', places.spanOf(['limits', 'step']), message);
  }
  const change = file.change === undefined ? undefined : readChange(file.change);
  if (file.change !== undefined && CHANGE.test(file.change) && !change) {
    report('BAD_VALUE', places.spanOf(['change']), `"${file.change}" would leave nothing or change nothing.`);
  }
  const condition = file.when?.trim() ? checkWhen(file.when.trim(), query, source, places) : undefined;
  return { query, change, step, condition, diagnostics: [...diagnostics, ...(condition?.diagnostics ?? [])] };
}

function checkTable(
  query: QueryFile,
  span: Span,
  report: (code: string, span: Span, message: string, hint?: string) => void,
): void {
  // By field, not by name alone: an alias can give the name to something else, and budgets are found by it.
  const has = (name: string, field: string) =>
    query.columns.some((column) => column.name === name && column.field === field);
  const fields = { campaign_id: 'campaign.id', date: 'segments.date' };
  const missing = Object.entries(fields).filter(([column, field]) => !has(column, field));
  if (missing.length > 0) {
    const names = missing.map(([, field]) => field).join(' and ');
    const message = `A rule for campaigns needs ${names} in the query ${query.name}, without an alias.`;
    report('UNUSABLE_TABLE', span, message, `Add ${names} to its SELECT.`);
  }
  if (query.limit !== undefined) {
    const message = `The query ${query.name} has a LIMIT, so its table may be a part only.`;
    report('UNUSABLE_TABLE', span, message, 'Take the LIMIT away, or let the rule read another query.');
  }
}

function checkWhen(
  when: string,
  query: QueryFile | undefined,
  source: string,
  places: YamlPlaces,
): { tree?: Rule['when']; namesMoney: boolean; diagnostics: Diagnostic[] } {
  const whole = places.spanOf(['when']);
  // Offsets inside the condition are offsets in the file unless YAML folded or unquoted the text.
  const toFile = (found: Diagnostic): Diagnostic => {
    if (!places.isPlain(['when'])) return { ...found, span: whole };
    const base = whole.start.offset;
    return { ...found, span: spanAt(source, base + found.span.start.offset, base + found.span.end.offset) };
  };
  const reading = parseExpression(when);
  if (reading.kind === 'refused') return { namesMoney: false, diagnostics: reading.diagnostics.map(toFile) };
  if (!query) return { tree: reading.tree, namesMoney: false, diagnostics: [] };
  const { namesMoney, diagnostics } = checkExpression(reading.tree, namesOf(query.columns));
  return { tree: reading.tree, namesMoney, diagnostics: diagnostics.map(toFile) };
}

/** "20%" as 1/5; undefined unless between 0 % and 100 %, both excluded. */
function readShare(text: string): Rational | undefined {
  const percent = parseDecimal(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1] ?? '');
  const share = percent && divide(percent, rational(100n));
  return share && share.n > 0n && compare(share, rational(1n)) < 0 ? share : undefined;
}

function readChange(text: string): BudgetChange | undefined {
  const match = CHANGE.exec(text);
  if (!match) return undefined;
  const direction = match[1] as BudgetChange['direction'];
  if (match[3] !== undefined) {
    const by = parseAmount(match[3]);
    return by === undefined || by === 0n ? undefined : { direction, by: { kind: 'amount', amount: by }, text };
  }
  const percent = parseDecimal(match[2] ?? '');
  const share = percent && divide(percent, rational(100n));
  if (!share || share.n === 0n) return undefined;
  if (direction === 'decrease' && compare(share, rational(1n)) >= 0) return undefined;
  return { direction, by: { kind: 'share', share }, text };
}
