import { readSelect } from './sqlite/check-models.ts';

/** Both engines end these parts in the same place. */
const TEXT_NAME_OR_COMMENT = /"(?:[^"]|"")*"|'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** Functions of PostgreSQL that run a text as a query, and names that are written with codes. */
const HIDDEN = /_to_xml|ts_stat|ts_rewrite|dblink|crosstab|uescape|u&/i;

/**
 * The text of one SELECT that stays within the parentheses around it. So no part of it follows a condition outside.
 * All names in it are readable. Returns undefined if that is not certain on both engines: they read backslashes, dollars,
 * brackets and backticks differently.
 */
export function closedSelect(source: string): string | undefined {
  const { sql, refusals } = readSelect(source);
  if (refusals.length > 0 || /[\\$[`]/.test(sql) || HIDDEN.test(sql)) return undefined;
  const code = sql.replace(TEXT_NAME_OR_COMMENT, ' ');
  if (/['"]|\/\*/.test(code)) return undefined;
  let depth = 0;
  for (const [sign] of code.matchAll(/[()]/g)) {
    depth += sign === '(' ? 1 : -1;
    if (depth < 0) return undefined;
  }
  return depth === 0 ? sql : undefined;
}
