import { z } from 'zod';
import { type Diagnostic, type Span, spanAt } from '../domain/diagnostic.ts';
import { parseAmount } from '../domain/micros.ts';
import { compare, divide, parseDecimal, type Rational, rational } from '../domain/rational.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { didYouMean } from '../gaql/suggest.ts';
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
  const reading = readYaml(source, fileSchema);
  if (reading.kind === 'refused') return { rule: undefined, diagnostics: reading.diagnostics };
  const { value: file, places } = reading;
  const diagnostics: Diagnostic[] = [];
  const report = (code: string, span: Span, message: string, hint?: string) =>
    diagnostics.push({ code, severity: 'error', span, message, ...(hint === undefined ? {} : { hint }) });

  const query = queries.get(file.from);
  if (!query && !broken.has(file.from)) {
    const hint = didYouMean(file.from, queries.keys()) ?? `Tables are ${[...queries.keys()].join(', ') || 'none yet'}.`;
    report('UNKNOWN_TABLE', places.spanOf(['from']), `There is no query file for a table "${file.from}".`, hint);
  }
  if (query) checkTable(query, places.spanOf(['from']), report);
  const step = file.limits.step === undefined ? undefined : readShare(file.limits.step);
  if (file.limits.step !== undefined && step === undefined) {
    const message = `Found "${file.limits.step}" for "limits.step", expected a percentage above 0% and below 100% such as 20%.`;
    report('BAD_VALUE', places.spanOf(['limits', 'step']), message);
  }
  if (file.limits.floor && file.limits.ceiling && file.limits.floor > file.limits.ceiling) {
    report('IMPOSSIBLE_LIMITS', places.spanOf(['limits', 'floor']), 'The floor is above the ceiling.');
  }
  const change = readChange(file.change);
  if (!change) {
    report('BAD_VALUE', places.spanOf(['change']), `"${file.change}" would leave nothing or change nothing.`);
  }
  const condition = checkWhen(file.when, query, source, places);
  diagnostics.push(...condition.diagnostics);

  diagnostics.sort((a, b) => a.span.start.offset - b.span.start.offset);
  if (diagnostics.length > 0 || !query || !change || !condition.tree) return { rule: undefined, diagnostics };
  const { floor, ceiling } = file.limits;
  const rule: Rule = {
    name,
    description: file.description,
    from: file.from,
    queryText: query.text,
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

function checkTable(
  query: QueryFile,
  span: Span,
  report: (code: string, span: Span, message: string, hint?: string) => void,
): void {
  const columns = new Set(query.columns.map(({ name }) => name));
  const fields = { campaign_id: 'campaign.id', date: 'segments.date' };
  const missing = Object.entries(fields).filter(([column]) => !columns.has(column));
  if (missing.length > 0) {
    const names = missing.map(([, field]) => field).join(' and ');
    const message = `A rule for campaigns needs ${names} in the query ${query.name}.`;
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
