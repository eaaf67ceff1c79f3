import { type Diagnostic, finding } from '../../domain/diagnostic.ts';
import { type CsvRow, expectedPoint, readCsv } from '../csv/read-csv.ts';
import type { RuleContext } from '../rules/file/rule-file.ts';
import type { RuleTable } from '../rules/rule.ts';
import type { YamlPlaces } from '../yaml/read-yaml.ts';
import type { Target } from './target.ts';
import { checkTarget, targetFileSchema } from './target-file.ts';

const REQUIRED = ['name', 'currency', 'amount', 'members'];
const OPTIONAL = ['month', 'from', 'to', 'split', 'floor', 'ceiling', 'mode', 'description'];

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u;

/**
 * Reads `targets.csv`, which a sheet can write: a row for each target. `members` are customer ids with spaces between them, each with a share such as `:60%`. A
 * row with an error does not stop the others, so that all errors are reported at once. Each row has a version of its own, so
 * that a changed row does not end the proposals of the others.
 */
export function checkTargetCsv(
  source: string,
  tables: ReadonlyMap<string, RuleTable>,
  broken: ReadonlySet<string>,
  context: RuleContext,
  versionOf: (row: string) => string,
): { readonly targets: readonly Target[]; readonly diagnostics: readonly Diagnostic[] } {
  const { rows, diagnostics } = readCsv(source, REQUIRED, OPTIONAL);
  const found = [...diagnostics];
  const targets = new Map<string, Target>();
  for (const row of rows) {
    const refuse = (message: string, hint?: string) => found.push(finding('BAD_VALUE', row.span, message, hint));
    const name = row.cell('name') ?? '';
    if (!NAME.test(name)) refuse(`Found ${JSON.stringify(name)} for "name", expected letters, digits and spaces.`);
    if (targets.has(name)) refuse(`Another row has the name "${name}".`, 'Give each target its own name.');
    const file = fileOf(row);
    const reading = targetFileSchema.safeParse(file, { jitless: true });
    if (!reading.success) {
      for (const { path, message } of reading.error.issues) {
        const column = columnOf(path);
        const text = row.cell(column);
        const words = text === undefined ? `"${column}" is missing` : `Found ${JSON.stringify(text)} for "${column}"`;
        refuse(`${words}, expected ${expectedPoint(text) ?? message}.`);
      }
      continue;
    }
    const check = checkTarget({ name, file: reading.data, places: placesOf(row) }, tables, broken, {
      ...context,
      version: versionOf(JSON.stringify(file)),
    });
    found.push(...check.diagnostics);
    if (check.target) targets.set(name, check.target);
  }
  return { targets: [...targets.values()], diagnostics: found };
}

/** The row as a target's file. */
function fileOf({ cell }: CsvRow): object {
  const floor = cell('floor');
  const ceiling = cell('ceiling');
  const name = cell('name');
  const own = ['currency', 'amount', 'month', 'from', 'to', 'split', 'mode'].flatMap((column) => {
    const text = cell(column);
    return text === undefined ? [] : [[column, text]];
  });
  const limits = Object.entries({ floor, ceiling }).filter(([, text]) => text !== undefined);
  return {
    ...Object.fromEntries(own),
    description: cell('description') ?? name,
    members: (cell('members') ?? '').split(/[\s+]+/).map((member) => {
      const [account, share] = member.split(':');
      return { account, share };
    }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  };
}

function columnOf(path: readonly PropertyKey[]): string {
  const [first, second] = path;
  return String(first === 'limits' ? second : first);
}

/** Findings name the whole row. */
function placesOf({ span, cell }: CsvRow): YamlPlaces {
  return {
    spanOf: () => span,
    keySpanOf: () => span,
    stretchOf: () => span,
    has: ([key]) => typeof key === 'string' && cell(key) !== undefined,
  };
}
