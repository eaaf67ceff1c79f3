import type { QueryFile } from '../../src/language/gaql/query-file.ts';
import { checkRuleFile } from '../../src/language/rules/file/rule-file.ts';
import type { Rule } from '../../src/language/rules/rule.ts';

type Context = Parameters<typeof checkRuleFile>[4];

/** A rule over the query, checked as the product checks it. */
export function checkedRule(name: string, source: string, query: QueryFile, context: Context): Rule {
  const queries = new Map([[query.name, query]]);
  const { rule, diagnostics } = checkRuleFile(name, source, queries, new Set(), context);
  if (rule === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return rule;
}
