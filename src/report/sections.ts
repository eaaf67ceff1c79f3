import { type Frozen, frozenLines } from '../domain/frozen.ts';
import type { AccountResult } from './report-result.ts';
import { type NameOf, oneLine, type TextLayout } from './text-layout.ts';
import { wrapText } from './wrap-text.ts';

export function namesOf(accounts: readonly Pick<AccountResult, 'customerId' | 'name'>[]): NameOf {
  const names = new Map(accounts.map(({ customerId, name }) => [customerId, name ?? customerId]));
  return (id) => oneLine(names.get(id) ?? id);
}

/** Where no day was read yet, zeros would look like an answer. */
export const NOTHING_READ = 'Nothing can be said yet: run pacekeeper extract first.';

/** The first lines of what is shown while budgets are frozen. */
export function frozenBlock(frozen: Frozen | undefined, { width, bold }: TextLayout): string {
  return frozenLines(frozen)
    .map((line) => bold(wrapText(oneLine(line), width, '', '  ')))
    .join('\n');
}

export function section(title: string, body: string, layout: TextLayout): string {
  return body === '' ? '' : `${layout.bold(title)}\n${body}`;
}

export function bullets(lines: readonly string[], { width }: TextLayout): string {
  return lines.map((line) => wrapText(oneLine(line), width, '  ', '    ')).join('\n');
}
