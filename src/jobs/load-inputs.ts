import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import type { Diagnostic } from '../domain/diagnostic.ts';
import { InputError, type SourceFindings } from '../domain/errors.ts';
import { PUBLIC_CATALOGUE } from '../gaql/catalogue/catalogue.ts';
import { checkQueryFile, type QueryFile } from '../gaql/query-file.ts';
import type { Rule } from '../rules/rule.ts';
import { checkRuleFile } from '../rules/rule-file.ts';

/** What was read from the query and rule files, and everything found in them. */
export interface Inputs {
  readonly queries: readonly QueryFile[];
  readonly rules: readonly Rule[];
  /** One entry per file that was read, also where nothing was found. */
  readonly findings: readonly SourceFindings[];
}

export const QUERY_ENDINGS = ['.sql', '.gaql'];
const RULE_ENDINGS = ['.yaml', '.yml'];

/** Reads and checks the files of both folders, in the order of their names. Throws `InputError` for an unreadable folder. */
export function loadInputs(queriesDir: string, rulesDir: string): Inputs {
  return checkFiles(filesIn(queriesDir, QUERY_ENDINGS, 'queries'), filesIn(rulesDir, RULE_ENDINGS, 'rules'));
}

/** Checks query files, and rule files against them. */
export function checkFiles(queryPaths: readonly string[], rulePaths: readonly string[]): Inputs {
  const findings: SourceFindings[] = [];
  const queries = new Map<string, QueryFile>();
  const broken = new Set<string>();
  for (const path of queryPaths) {
    const source = readText(path);
    const name = nameOf(path);
    const check = checkQueryFile(name, source, PUBLIC_CATALOGUE);
    const diagnostics = queries.has(name) ? [...check.diagnostics, takenName(name)] : check.diagnostics;
    findings.push({ file: shownPath(path), source, diagnostics });
    if (check.query && !queries.has(name)) queries.set(name, check.query);
    else broken.add(name);
  }
  const rules: Rule[] = [];
  for (const path of rulePaths) {
    const source = readText(path);
    const { rule, diagnostics } = checkRuleFile(nameOf(path), source, queries, broken);
    findings.push({ file: shownPath(path), source, diagnostics });
    if (rule) rules.push(rule);
  }
  return { queries: [...queries.values()], rules, findings };
}

/** Ends the command with every finding when one of them is an error. */
export function refuseErrors({ findings }: Inputs): void {
  const wrong = findings.filter(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'));
  if (wrong.length === 0) return;
  const files = wrong.length === 1 ? '1 file has' : `${wrong.length} files have`;
  throw new InputError(`${files} errors. Nothing was sent.`, {
    nextStep: 'Correct the places above; pacekeeper check shows them again without running anything.',
    findings: wrong,
  });
}

/** The files of a folder by ending, sorted by name. */
export function filesIn(folder: string, endings: readonly string[], what: 'queries' | 'rules'): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (cause) {
    const reason = (cause as { code?: unknown }).code === 'ENOENT' ? 'does not exist' : 'is not a readable folder';
    throw new InputError(`The folder ${shownPath(folder)} ${reason}.`, {
      nextStep: `Name it with --${what} DIR.`,
      cause,
    });
  }
  const wanted = names.filter((name) => endings.includes(extname(name)) && !name.startsWith('.'));
  return wanted.sort().map((name) => join(folder, name));
}

export function isRuleFile(path: string): boolean {
  return RULE_ENDINGS.includes(extname(path));
}

function readText(path: string): string {
  try {
    if (statSync(path).isDirectory()) throw new InputError(`${shownPath(path)} is a folder, expected a file.`);
    // A byte order mark is no part of the text: columns count without it.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(`${shownPath(path)} cannot be read: ${cause instanceof Error ? cause.message : cause}.`, {
      cause,
    });
  }
}

const nameOf = (path: string): string => basename(path, extname(path));

/** Relative to the working folder when it lies inside. */
function shownPath(path: string): string {
  const short = relative('', path);
  return short.startsWith('..') || short === '' ? path : short;
}

function takenName(name: string): Diagnostic {
  const start = { offset: 0, line: 1, column: 1 };
  return {
    code: 'BAD_TABLE_NAME',
    severity: 'error',
    span: { start, end: start },
    message: `Another query file fills the table "${name}" already.`,
  };
}
