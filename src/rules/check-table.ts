import type { Diagnostic, Span } from '../domain/diagnostic.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import { COST, columnOf } from './plan-rule.ts';
import type { SubjectKind } from './rule.ts';
import type { LooseRuleFile } from './rule-schema.ts';

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
export function checkTable(
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
