import type { CivilDate } from '../../../domain/civil-date.ts';
import { type Diagnostic, finding, type Span } from '../../../domain/diagnostic.ts';
import type { Catalogue } from '../../gaql/catalogue/catalogue.ts';
import { amountColumn } from '../../gaql/check/column.ts';
import { queryFingerprint } from '../../gaql/check/query-for-range.ts';
import { didYouMean } from '../../gaql/check/suggest.ts';
import { readYaml, type YamlPlaces } from '../../yaml/read-yaml.ts';
import { type CheckedParts, checkParts } from '../check/check-parts.ts';
import type { CheckedValue } from '../check/checked-expression.ts';
import { isOfConversions } from '../check/rule-names.ts';
import { warnOfChange } from '../check/warn-change.ts';
import { readsToday, withParts } from '../evaluate/collect-values.ts';
import { COST, columnOf, IDS } from '../evaluate/plan-rule.ts';
import { warnOfPace } from '../pacing/check-pace.ts';
import { daysUntilComplete, type ReadQuery, type Rule, type RuleTable, type SubjectKind } from '../rule.ts';
import { readDays } from './limit-forms.ts';
import { ruleFileHint } from './rule-file-hints.ts';
import {
  CONVERSION_WINDOW,
  LASTING,
  type LooseRuleFile,
  looseSchema,
  type RuleFile,
  ruleFileSchema,
} from './rule-schema.ts';

export interface RuleFileCheck {
  readonly rule: Rule | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Completeness {
  /** The number of days until a day is final. Keys are names of queries. */
  readonly settleDays: ReadonlyMap<string, number>;
  /** The longest conversion window of all accounts, in days. */
  readonly conversionDays: number;
}

export interface RuleContext {
  readonly version: string;
  readonly completeness?: Completeness;
  /** If undefined, constants are not checked, and hints do not name unselected fields. */
  readonly catalogueOf?: (query: string) => Catalogue;
  /** Today in UTC. Undefined turns off warnings about past flights. */
  readonly today?: CivilDate | undefined;
}

/** `broken` names query files whose errors are already reported. */
export function checkRuleFile(
  name: string,
  source: string,
  queries: ReadonlyMap<string, RuleTable>,
  broken: ReadonlySet<string>,
  context: RuleContext,
): RuleFileCheck {
  const loose = readYaml(source, looseSchema);
  if (loose.kind === 'refused') return { rule: undefined, diagnostics: loose.diagnostics };
  const reading = readYaml(source, ruleFileSchema, undefined, ruleFileHint);
  const file = reading.kind === 'ok' ? reading.value : undefined;
  const found = checkRule({ name, written: loose.value, file, places: loose.places }, queries, broken, context);
  const diagnostics = [...(reading.kind === 'refused' ? reading.diagnostics : []), ...found.diagnostics];
  return { ...found, diagnostics: diagnostics.sort((one, other) => one.span.start.offset - other.span.start.offset) };
}

interface WrittenRule {
  readonly name: string;
  readonly written: LooseRuleFile;
  /** Undefined if the file does not have the shape of a rule. */
  readonly file: RuleFile | undefined;
  readonly places: YamlPlaces;
}

/** Checks what the shape alone does not show. */
export function checkRule(
  { name, written, file, places }: WrittenRule,
  queries: ReadonlyMap<string, RuleTable>,
  broken: ReadonlySet<string>,
  context: RuleContext,
): RuleFileCheck {
  const from = written.from?.trim() || undefined;
  const query = from === undefined ? undefined : queries.get(from);
  const { completeness } = context;
  const ofConversions = {
    usesConversions: query !== undefined && mentionsConversions(written, query),
    conversionDays: readDays(written.conversion_window, CONVERSION_WINDOW),
  };
  const settleDays = daysUntilComplete(ofConversions, {
    table: Math.max(0, ...(query ? readsOf(query) : []).map(({ name }) => completeness?.settleDays.get(name) ?? 0)),
    conversions: completeness?.conversionDays ?? 0,
  });
  const parts = checkParts(written, places, query, settleDays, query && context.catalogueOf?.(query.name));
  const diagnostics = [
    ...(from === undefined || query || broken.has(from) ? [] : [unknownTable(from, queries, places.spanOf(['from']))]),
    ...(query ? checkTable(query, written, paces(written), places.spanOf(['from'])) : []),
    ...checkEffect(written, places),
    ...(query ? checkConversions(written, ofConversions.usesConversions, places) : []),
    ...parts.diagnostics,
    ...checkTogether(written, parts, query, places, context.today),
  ];
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  if (failed || file === undefined || !query || (!parts.when && needsCondition(written)))
    return { rule: undefined, diagnostics };

  const { where, over, when, change, limits } = parts;
  const rule: Rule = {
    name,
    version: context.version,
    description: file.description,
    from: file.from,
    for: file.for,
    reads: readsOf(query),
    model: 'model' in query ? query.model : undefined,
    columns: query.columns,
    where,
    over,
    when,
    change,
    limits,
    lastingDays: readDays(file.lasting, LASTING) ?? 1,
    ...ofConversions,
    includePaused: file.include_paused ?? false,
    alert: file.alert && { severity: file.alert.severity, text: parts.alert, written: file.alert.text },
    currency: file.currency,
    amountAt: parts.amounts.toSorted((one, other) => one.start.offset - other.start.offset)[0],
    mode: file.mode,
  };
  return { rule, diagnostics };
}

function readsOf(table: RuleTable): readonly ReadQuery[] {
  return 'model' in table ? table.reads : [{ name: table.name, text: queryFingerprint(table) }];
}

/** Searches the texts, because the number of days until completion must be known before names are checked. */
function mentionsConversions({ when, change, reallocate, limits, alert }: LooseRuleFile, table: RuleTable): boolean {
  // If a model uses conversions, any of its numbers can depend on them.
  if ('model' in table && table.usesConversions) return true;
  const { columns } = table;
  const names = columns.filter(isOfConversions).flatMap(({ name, type }) => [name, amountColumn(name, type) ?? name]);
  if (names.length === 0) return false;
  const used = new Set([...names, 'cpa', 'roas']);
  const texts = [when, change, reallocate, alert?.text, ...Object.keys(limits?.minimum ?? {})];
  return texts.some((text) => text?.split(/\W+/).some((word) => used.has(word)));
}

function checkConversions(written: LooseRuleFile, usesConversions: boolean, places: YamlPlaces): Diagnostic[] {
  if (!usesConversions) {
    if (!places.has(['conversion_window'])) return [];
    const message = 'The rule uses no conversions, so "conversion_window" has no effect.';
    const span = places.keySpanOf(['conversion_window']);
    return [finding('UNUSED_CONVERSION_WINDOW', span, message, 'Remove "conversion_window".', 'warning')];
  }
  if (!paces(written)) return [];
  const message = 'Pacing counts all days up to yesterday, but their conversions are not complete yet.';
  const hint = 'Remove the conversions, or use them in a rule that increases or decreases the budget.';
  return [finding('WINDOW_NOT_SETTLED', places.spanOf(['change']), message, hint)];
}

function checkEffect(written: LooseRuleFile, places: YamlPlaces): Diagnostic[] {
  const found: Diagnostic[] = [];
  const hasChange = places.has(['change']);
  if (!hasChange && !places.has(['alert'])) {
    const message = 'The rule has neither "change" nor "alert", so it does nothing.';
    const hint = 'Add change: decrease budget by 10%, or alert: { severity: warning, text: ... }.';
    found.push(finding('MISSING_KEY', places.spanOf([]), message, hint));
  }
  if (hasChange && isOfParts(written)) {
    const message = `${written.for === 'keyword' ? 'A keyword' : 'An ad group'} has no budget of its own, so the rule may only alert.`;
    const hint = 'Replace change with alert, or write for: campaign.';
    found.push(finding('NO_BUDGET', places.keySpanOf(['change']), message, hint));
  }
  if (!places.has(['when']) && needsCondition(written)) {
    const message = '"when" is missing, expected a condition such as clicks >= 30.';
    const hint = places.has(['pace'])
      ? 'Add when: clicks >= 30. Or write change: pace budget to 3000 per month, without "when".'
      : undefined;
    found.push(finding('MISSING_KEY', places.spanOf(['when']), message, hint));
  }
  if (places.has(['pace']) && !paces(written)) {
    const message = 'The rule has "pace", but "change" sets no monthly target.';
    const hint = 'Write change: pace budget to 3000 per month, or remove "pace".';
    found.push(finding('MISSING_KEY', places.keySpanOf(['pace']), message, hint));
  }
  if (!hasChange && places.has(['limits'])) {
    const message = 'The rule has limits but no change. Limits do not affect its alert.';
    const hint = 'Remove the limits. Write the conditions of an alert in "when".';
    found.push(finding('LIMITS_WITHOUT_CHANGE', places.keySpanOf(['limits']), message, hint, 'warning'));
  }
  if (places.has(['include_paused']) && (!hasChange || paces(written))) {
    const message = hasChange
      ? 'Pacing counts the costs of every campaign, and never changes budgets of paused campaigns.'
      : 'An alert covers every campaign, running or not.';
    const hint = 'Remove "include_paused".';
    found.push(finding('UNUSED_INCLUDE_PAUSED', places.keySpanOf(['include_paused']), message, hint, 'warning'));
  }
  return found;
}

function checkTogether(
  written: LooseRuleFile,
  parts: CheckedParts,
  query: RuleTable | undefined,
  places: YamlPlaces,
  today: CivilDate | undefined,
): Diagnostic[] {
  const { change, limits, where } = parts;
  const found: Diagnostic[] = [];
  const isOfAll = ({ kind }: CheckedValue) => kind === 'budget' || kind === 'metric';
  if (written.for === 'account' && change?.kind === 'to' && withParts(change.value).some(isOfAll)) {
    const message = 'An account may have several budgets, and each would get the amount of the whole account.';
    const hint = 'Write a change for each budget, such as decrease budget by 10%. Or write for: budget.';
    found.push(finding('ATTRIBUTE_OF_SEVERAL', places.spanOf(['change']), message, hint));
  }
  const looksAtToday = readsToday({ ...parts, alert: { text: parts.alert } });
  // Today's numbers still grow, so the decision would depend on the time of day.
  if (places.has(['change']) && looksAtToday) {
    const message =
      "Today is not complete, and changes need complete days. A rule that uses today's numbers may only alert.";
    const hint = 'Replace change with alert, or read complete days: on yesterday, over 7 days.';
    found.push(finding('WINDOW_NOT_SETTLED', places.keySpanOf(['change']), message, hint));
  }
  if (places.has(['lasting']) && !places.has(['when'])) {
    const message = 'The rule has "lasting" but no condition.';
    const hint = 'Add when: clicks >= 30, or remove "lasting".';
    found.push(finding('MISSING_KEY', places.keySpanOf(['lasting']), message, hint));
  } else if (places.has(['lasting']) && looksAtToday) {
    // The numbers that yesterday had at this time of day are not stored.
    const message = 'Today is not complete, and "lasting" counts complete days.';
    const hint = 'Read complete days, such as on yesterday, or remove "lasting".';
    found.push(finding('WINDOW_NOT_SETTLED', places.keySpanOf(['lasting']), message, hint));
  }
  if (change?.kind === 'pace' && query !== undefined) {
    const currency = typeof written.currency === 'string' ? written.currency : undefined;
    const pacing = { pace: change.pace, limits, where: where?.tree, for: written.for, currency, today };
    found.push(...warnOfPace(pacing, query, places));
  }
  if (change !== undefined) found.push(...warnOfChange(change, limits, places.spanOf(['change'])));
  const hasLimits = Object.keys(written.limits ?? {}).length > 0;
  if (change !== undefined && change.kind !== 'pace' && !isOfParts(written) && !hasLimits) {
    const message = 'The rule does not limit how far or how often it changes a budget.';
    const hint = places.has(['currency'])
      ? 'Add limits: { floor: 5, ceiling: 200, step: 20%, cooldown: 3 days }.'
      : 'Add limits: { step: 20%, cooldown: 3 days, drift: 50% over 30 days }.';
    found.push(finding('CHANGE_WITHOUT_LIMITS', places.keySpanOf(['change']), message, hint, 'warning'));
  }
  return found;
}

const isOfParts = (written: LooseRuleFile): boolean => written.for === 'ad_group' || written.for === 'keyword';

/** Also true for an invalid pacing target, so that only one error is reported. */
const paces = ({ change }: LooseRuleFile): boolean => /^\s*pace\b/i.test(change ?? '');

const needsCondition = (written: LooseRuleFile): boolean => !paces(written) && written.reallocate === undefined;

const DAY = 'segments.date';
const ACCOUNT = 'customer.id';
const WORDS: Readonly<Record<SubjectKind, string>> = {
  campaign: 'campaigns',
  budget: 'budgets',
  account: 'accounts',
  ad_group: 'ad groups',
  keyword: 'keywords',
};

function checkTable(
  query: RuleTable,
  { for: subject, where }: Pick<LooseRuleFile, 'for' | 'where'>,
  paces: boolean,
  span: Span,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const refuse = (message: string, hint: string) => found.push(finding('UNUSABLE_TABLE', span, message, hint));
  const columnFor = (field: string) => (field === DAY ? 'date' : field.replaceAll('.', '_'));
  const has = (field: string) => {
    const name = columnFor(field);
    // The field is compared too, because an alias can give this name to another field.
    return query.columns.some((column) => column.name === name && column.field === field);
  };
  // An account rule needs a table with campaigns, to choose or to pace campaigns.
  const choosing = subject === 'account' && (where !== undefined || paces);
  const grain = choosing || subject === 'budget' ? 'campaign' : (subject ?? 'account');
  const isModel = 'model' in query;
  const missing = [...(isModel ? [ACCOUNT] : []), ...IDS[grain], DAY].filter((field) => !has(field));
  if (missing.length > 0) {
    const names = missing.map((field) => (isModel ? columnFor(field) : field)).join(' and ');
    const rule =
      subject === undefined
        ? 'A rule'
        : `A ${choosing && paces ? 'pacing ' : ''}rule for ${WORDS[subject]}${choosing && !paces ? ' with a "where"' : ''}`;
    const message = isModel
      ? `${rule} needs ${names} in the model ${query.name}, unchanged from a table.`
      : `${rule} needs ${names} in the query ${query.name}, without an alias.`;
    refuse(message, `Add ${names} to its SELECT.`);
  }
  if (isModel && paces) {
    const message = `Pacing needs all costs of its campaigns, and the model ${query.name} may lack some.`;
    refuse(message, 'Read a query FROM campaign, such as campaign_spend.');
  } else if (isModel && !query.isTimeless) {
    const message = `The model ${query.name} depends on the time of its computation, so a decision could not be repeated.`;
    refuse(message, "Remove date('now') and the like from the model.");
  }
  if (!isModel && paces && columnOf(query.columns, COST) === undefined) {
    const message = `A pacing rule needs ${COST} in the query ${query.name} to know the spend.`;
    refuse(message, `Add ${COST} to its SELECT.`);
  }
  if (query.limit !== undefined) {
    const message = isModel
      ? `A query behind the model ${query.name} has a LIMIT, so its table may be incomplete.`
      : `The query ${query.name} has a LIMIT, so its table may be incomplete.`;
    refuse(message, 'Remove the LIMIT, or let the rule read another query.');
  }
  return found;
}

function unknownTable(name: string, queries: ReadonlyMap<string, unknown>, span: Span): Diagnostic {
  const hint = didYouMean(name, queries.keys()) ?? `Known tables: ${[...queries.keys()].join(', ') || 'none yet'}.`;
  return finding('UNKNOWN_TABLE', span, `No query or model gives a table "${name}".`, hint);
}
