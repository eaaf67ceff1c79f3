import type { Diagnostic, Span } from '../../domain/diagnostic.ts';
import type { Catalogue } from '../../gaql/catalogue/catalogue.ts';
import { questionOf } from '../../gaql/check/query-for-range.ts';
import { didYouMean } from '../../gaql/check/suggest.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { readYaml, type YamlPlaces } from '../../yaml/read-yaml.ts';
import { type CheckedParts, checkParts } from '../check/check-parts.ts';
import { readsToday, withParts } from '../evaluate/collect-values.ts';
import { COST, columnOf } from '../evaluate/plan-rule.ts';
import { warnOfPace } from '../pacing/check-pace.ts';
import type { Rule, SubjectKind } from '../rule.ts';
import { ruleFileHint } from './rule-file-hints.ts';
import { type LooseRuleFile, looseSchema, readLasting, ruleFileSchema } from './rule-schema.ts';

export interface RuleFileCheck {
  /** Undefined where `diagnostics` has an error. */
  readonly rule: Rule | undefined;
  /** In the order of the file. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What a rule file is judged by beside its own text and the queries. */
export interface RuleContext {
  /** Which wording of the rule this is: see `Rule.version`. */
  readonly version: string;
  /** Days that pass before a day's numbers count, by query; 0 for a query that is not named. */
  readonly settleDays?: ReadonlyMap<string, number>;
  /** What the service knows, for the query of that name; without it constants and fields beyond the table are not looked at. */
  readonly catalogueOf?: (query: string) => Catalogue;
}

/**
 * Checks a rule file's text against the tables it may read; every finding at once. `queries` holds the checked queries
 * by name; `broken` the names of query files that have errors of their own, which are not repeated here.
 */
export function checkRuleFile(
  name: string,
  source: string,
  queries: ReadonlyMap<string, QueryFile>,
  broken: ReadonlySet<string>,
  context: RuleContext,
): RuleFileCheck {
  const loose = readYaml(source, looseSchema);
  if (loose.kind === 'refused') return { rule: undefined, diagnostics: loose.diagnostics };
  const { value: written, places } = loose;
  const reading = readYaml(source, ruleFileSchema, undefined, ruleFileHint);
  const from = written.from?.trim() || undefined;
  const query = from === undefined ? undefined : queries.get(from);
  const settleDays = query && (context.settleDays?.get(query.name) ?? 0);
  const parts = checkParts(written, places, query, settleDays, query && context.catalogueOf?.(query.name));
  const diagnostics = [
    ...(reading.kind === 'refused' ? reading.diagnostics : []),
    ...(from === undefined || query || broken.has(from) ? [] : [unknownTable(from, queries, places.spanOf(['from']))]),
    ...(query ? checkTable(query, written, paces(written), places.spanOf(['from'])) : []),
    ...checkEffect(written, places),
    ...parts.diagnostics,
    ...checkAmountOfEach(written, parts, places),
    ...checkSettled(parts, places),
    ...checkLasting(parts, places),
    ...warnOfPacing(written, parts, query, places),
    ...warnWithoutLimits(written, parts, places),
  ];
  diagnostics.sort((one, other) => one.span.start.offset - other.span.start.offset);
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  if (failed || reading.kind === 'refused' || !query || (!parts.when && !paces(written)))
    return { rule: undefined, diagnostics };

  const file = reading.value;
  const { where, over, when, change, limits } = parts;
  const rule: Rule = {
    name,
    version: context.version,
    description: file.description,
    from: file.from,
    for: file.for,
    queryText: questionOf(query),
    columns: query.columns,
    where,
    over,
    when,
    change,
    limits,
    lastingDays: readLasting(file.lasting) ?? 1,
    includePaused: file.include_paused ?? false,
    alert: file.alert && { severity: file.alert.severity, text: parts.alert, written: file.alert.text },
    currency: file.currency,
    namesMoney: parts.amounts.length > 0,
    amountAt: firstOf(parts.amounts),
    mode: file.mode,
  };
  return { rule, diagnostics };
}

function firstOf(amounts: CheckedParts['amounts']): Span | undefined {
  return amounts.toSorted((one, other) => one.start.offset - other.start.offset)[0];
}

/** What is computed for an account is of all its budgets together, and each would get the amount of all. */
function checkAmountOfEach(written: LooseRuleFile, { change }: CheckedParts, places: YamlPlaces): Diagnostic[] {
  if (written.for !== 'account' || change?.kind !== 'to') return [];
  if (withParts(change.value).every(({ kind }) => kind !== 'budget' && kind !== 'metric')) return [];
  return [
    {
      code: 'ATTRIBUTE_OF_SEVERAL',
      severity: 'error',
      span: places.spanOf(['change']),
      message: 'An account may have several budgets, and each would be set to an amount of the whole account.',
      hint: 'Write decrease budget by 10%, which is taken from each budget, or the rule for: budget.',
    },
  ];
}

/** Numbers of today only grow: what is decided on them in the morning would be another thing in the evening. */
function checkSettled(parts: CheckedParts, places: YamlPlaces): Diagnostic[] {
  if (!places.has(['change']) || !readsToday({ ...parts, alert: { text: parts.alert } })) return [];
  return [
    {
      code: 'WINDOW_NOT_SETTLED',
      severity: 'error',
      span: places.keySpanOf(['change']),
      message:
        'Today is not over, and a budget is changed by days that are: a rule that looks at today may only alert.',
      hint: 'Write alert in place of change, or look at days that are over: on yesterday, over 7 days.',
    },
  ];
}

function warnOfPacing(
  written: LooseRuleFile,
  { change, limits, where }: CheckedParts,
  query: QueryFile | undefined,
  places: YamlPlaces,
): Diagnostic[] {
  if (change?.kind !== 'pace' || query === undefined) return [];
  const parts = { pace: change.pace, limits, where: where?.tree, for: written.for, currency: textOf(written.currency) };
  return warnOfPace(parts, query, places);
}

/** A rule that paces is warned of its floor. */
function warnWithoutLimits(written: LooseRuleFile, { change }: CheckedParts, places: YamlPlaces): Diagnostic[] {
  if (change === undefined || change.kind === 'pace' || isOfParts(written)) return [];
  if (Object.keys(written.limits ?? {}).length > 0) return [];
  return [
    {
      code: 'CHANGE_WITHOUT_LIMITS',
      severity: 'warning',
      span: places.keySpanOf(['change']),
      message: 'The rule has no limits: nothing of its own bounds how far it takes a budget, or how often.',
      hint: places.has(['currency'])
        ? 'Add limits: { floor: 5, ceiling: 200, step: 20%, cooldown: 3 days }.'
        : 'Add limits: { step: 20%, cooldown: 3 days, drift: 50% over 30 days }.',
    },
  ];
}

/** Ad groups and keywords have no budget. */
const isOfParts = (written: LooseRuleFile): boolean => written.for === 'ad_group' || written.for === 'keyword';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Also one whose target cannot be read: what is wrong with that is told once. */
const paces = ({ change }: LooseRuleFile): boolean => /^\s*pace\b/i.test(change ?? '');

/** A rule does something, and what it does is something that its subject has. */
function checkEffect(written: LooseRuleFile, places: YamlPlaces): Diagnostic[] {
  const found: Diagnostic[] = [];
  const hasChange = places.has(['change']);
  if (!hasChange && !places.has(['alert'])) {
    found.push({
      code: 'MISSING_KEY',
      severity: 'error',
      span: places.spanOf([]),
      message: 'The rule has neither "change" nor "alert", so that nothing would come of it.',
      hint: 'Add change: decrease budget by 10%, or alert: { severity: warning, text: ... }.',
    });
  }
  if (hasChange && isOfParts(written)) {
    found.push({
      code: 'NO_BUDGET',
      severity: 'error',
      span: places.keySpanOf(['change']),
      message: `${written.for === 'keyword' ? 'A keyword' : 'An ad group'} has no budget that could be changed: such a rule may only alert.`,
      hint: 'Write alert in its place, or the rule for: campaign.',
    });
  }
  if (!places.has(['when']) && !paces(written)) {
    const message = '"when" is missing, expected text that is not empty.';
    // What paces needs none, and this one was meant to.
    const hint = places.has(['pace'])
      ? { hint: 'Say when it fires, or write change: pace budget to 3000 per month, which needs no "when".' }
      : {};
    found.push({ code: 'MISSING_KEY', severity: 'error', span: places.spanOf(['when']), message, ...hint });
  }
  if (places.has(['pace']) && !paces(written)) {
    found.push({
      code: 'MISSING_KEY',
      severity: 'error',
      span: places.keySpanOf(['pace']),
      message: 'The rule says how it paces, and not that it does: "change" has no target of a month.',
      hint: 'Write change: pace budget to 3000 per month, or take "pace" away.',
    });
  }
  if (!hasChange && places.has(['limits'])) {
    found.push({
      code: 'LIMITS_WITHOUT_CHANGE',
      severity: 'warning',
      span: places.keySpanOf(['limits']),
      message: 'Limits hold changes back, and the rule has none: its alert is sent whatever they say.',
      hint: 'Take them away; what an alert needs stands in "when".',
    });
  }
  if (places.has(['include_paused']) && (!hasChange || paces(written))) {
    const message = hasChange
      ? 'A month counts what every campaign has cost, and budgets of paused campaigns are never paced.'
      : 'An alert is about every campaign, whether or not it runs.';
    found.push({
      code: 'UNUSED_INCLUDE_PAUSED',
      severity: 'warning',
      span: places.keySpanOf(['include_paused']),
      message,
      hint: 'Take "include_paused" away.',
    });
  }
  return found;
}

const DAY = 'segments.date';
/** The fields that tell what a rule is about apart. */
const FIELDS: Readonly<Record<SubjectKind, readonly string[]>> = {
  campaign: ['campaign.id'],
  budget: ['campaign.id'],
  account: [],
  ad_group: ['ad_group.id'],
  keyword: ['ad_group.id', 'ad_group_criterion.criterion_id'],
};
const WORDS: Readonly<Record<SubjectKind, string>> = {
  campaign: 'campaigns',
  budget: 'budgets',
  account: 'accounts',
  ad_group: 'ad groups',
  keyword: 'keywords',
};

/** What keeps a rule from reading the query's table; without a subject, any rule. `paces`: its change keeps a month's target. */
function checkTable(
  query: QueryFile,
  { for: subject, where }: Pick<LooseRuleFile, 'for' | 'where'>,
  paces: boolean,
  span: Span,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const refuse = (message: string, hint: string) =>
    found.push({ code: 'UNUSABLE_TABLE', severity: 'error', span, message, hint });
  // By field, not by name alone: an alias can give the name to something else, and budgets are found by it.
  const has = (field: string) => {
    const name = field === DAY ? 'date' : field.replaceAll('.', '_');
    return query.columns.some((column) => column.name === name && column.field === field);
  };
  // What an account is made of is known by its campaigns alone.
  const choosing = subject === 'account' && (where !== undefined || paces);
  const fields = choosing ? ['campaign.id'] : subject === undefined ? [] : FIELDS[subject];
  const missing = [...fields, DAY].filter((field) => !has(field));
  if (missing.length > 0) {
    const names = missing.join(' and ');
    const rule =
      subject === undefined
        ? 'A rule'
        : `A rule for ${WORDS[subject]}${choosing ? (paces ? ' that paces' : ' with a "where"') : ''}`;
    const message = `${rule} needs ${names} in the query ${query.name}, without an alias.`;
    refuse(message, `Add ${names} to its SELECT.`);
  }
  if (paces && columnOf(query.columns, COST) === undefined) {
    const message = `A rule that paces needs ${COST} in the query ${query.name}, which is what was spent.`;
    refuse(message, `Add ${COST} to its SELECT.`);
  }
  if (query.limit !== undefined) {
    const message = `The query ${query.name} has a LIMIT, so its table may be a part only.`;
    refuse(message, 'Take the LIMIT away, or let the rule read another query.');
  }
  return found;
}

/** The finding about a rule that reads a table which no query file fills. */
function unknownTable(name: string, queries: ReadonlyMap<string, unknown>, span: Span): Diagnostic {
  const hint = didYouMean(name, queries.keys()) ?? `Tables are ${[...queries.keys()].join(', ') || 'none yet'}.`;
  const message = `There is no query file for a table "${name}".`;
  return { code: 'UNKNOWN_TABLE', severity: 'error', span, message, hint };
}

/** What must last is a condition, and of days that are over: yesterday's evening is not kept to be compared with this morning. */
function checkLasting(parts: CheckedParts, places: YamlPlaces): Diagnostic[] {
  if (!places.has(['lasting'])) return [];
  const found = { severity: 'error', span: places.keySpanOf(['lasting']) } as const;
  if (!places.has(['when'])) {
    return [
      {
        code: 'MISSING_KEY',
        ...found,
        message: 'The rule says how long its condition must last, and has none.',
        hint: 'Add when: clicks >= 30, or take "lasting" away.',
      },
    ];
  }
  if (!readsToday({ ...parts, alert: { text: parts.alert } })) return [];
  return [
    {
      code: 'WINDOW_NOT_SETTLED',
      ...found,
      message: 'Today is not over, and a condition lasts over days that are.',
      hint: 'Look at days that are over, on yesterday, or take "lasting" away.',
    },
  ];
}
