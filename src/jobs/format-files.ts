import { realpathSync, statSync } from 'node:fs';
import { InvariantError } from '../domain/errors.ts';
import { ownNextPath, replaceText } from '../files/replace-file.ts';
import { formatQuery } from '../gaql/syntax/format-query.ts';
import { type ParsedQuery, parseQuery } from '../gaql/syntax/parse-query.ts';
import { printQuery } from '../gaql/syntax/print-query.ts';
import { readText, shownPath } from './read-text.ts';

export interface FormattedFile {
  readonly file: string;
  readonly done: 'rewritten' | 'unchanged' | 'left';
}

/** Writes query files in the canonical layout, each at once or not at all. Files with syntax errors are left. */
export function formatFiles(paths: readonly string[]): FormattedFile[] {
  return paths.map((path) => ({ file: shownPath(path), done: formatFile(path) }));
}

function formatFile(path: string): FormattedFile['done'] {
  const reading = readText(path);
  // What is wrong with it is told by the check.
  if (reading.kind === 'refused') return 'left';
  const { source } = reading;
  const parsed = parseQuery(source);
  if (parsed.diagnostics.length > 0) return 'left';
  const laidOut = formatQuery(parsed);
  refuseLoss(parsed, parseQuery(laidOut));
  const text = source.includes('\r\n') ? laidOut.replaceAll('\n', '\r\n') : laidOut;
  if (text === source) return 'unchanged';
  // Through a link to the file itself.
  const target = realpathSync(path);
  replaceText(target, () => text, { mode: statSync(target).mode & 0o7777, next: ownNextPath(target) });
  return 'rewritten';
}

/** The user's file is at stake: what is about to be written asks the same and has the same comments. */
function refuseLoss(before: ParsedQuery, after: ParsedQuery): void {
  const same = printQuery(before.tree) === printQuery(after.tree) && before.comments.length === after.comments.length;
  if (!same || after.diagnostics.length > 0) throw new InvariantError('Formatting would have changed the query.');
}
