import { MADE_STATES } from '../../domain/budget-change.ts';
import type { CivilDate } from '../../domain/civil-date.ts';
import { capitalised } from '../../domain/wording.ts';
import type { LogCount, LogKind } from '../../storage/records/budgets/change-log.ts';
import { type Html, html } from '../../views/html/html.ts';
import { line } from '../../views/html/parts.ts';
import { named } from '../../views/html/table.ts';
import { counted, dayOfYear } from '../../views/html/wording.ts';

/** The days (UTC) that the sentence covers. */
export interface Days {
  readonly from: CivilDate | undefined;
  readonly to: CivilDate | undefined;
}

/**
 * Such as "On 28 Nov 2026, rules made 2 changes and anna undid 1 change. 1 request was rejected." From counts, in a fixed
 * grammar. `waiting` is the number of requests of these days that a person can still decide. If a filter leaves entries
 * out, `isWhole` is false. Then the sentence never says that no budget was changed.
 */
export function logFinding(
  counts: readonly LogCount[],
  days: Days,
  waiting: number,
  isWhole: boolean,
): Html | undefined {
  const of = (kind: LogKind, states?: readonly (string | undefined)[]) =>
    counts.filter((one) => one.kind === kind && (states?.includes(one.state) ?? true));
  const made = (kind: LogKind) => of(kind, MADE_STATES);
  const byRules = sum(made('change'));
  const done = [
    ...(byRules > 0n ? [html`rules made ${counted(byRules, 'change')}`] : []),
    ...deed(made('approval'), 'approved'),
    ...deed(made('undo'), 'undid'),
  ];
  const doubt = sum((['change', 'approval', 'undo'] as const).flatMap((kind) => of(kind, ['sending', 'unknown'])));
  const more = [
    sentence(sum(of('elsewhere')), 'change', 'was made elsewhere', 'were made elsewhere'),
    sentence(doubt, 'change', 'is in doubt', 'are in doubt'),
    sentence(sum(of('rejection')), 'request', 'was rejected', 'were rejected'),
    sentence(BigInt(waiting), 'request', 'awaits a decision', 'await a decision'),
    frozenWords(sum(of('freeze'))),
    sentence(sum(of('setting')), 'report', 'found settings that allow more', 'found settings that allow more'),
  ].filter((one) => one !== undefined);
  if (!isWhole && done.length + more.length === 0) return undefined;
  const scope = scopeWords(days);
  if (!isWhole && done.length === 0) return html`${scope}: ${more.join(' ')}`;
  const parts = done.map((one, index) => html`${index > 0 && (index === done.length - 1 ? ' and ' : ', ')}${one}`);
  return html`${scope}, <strong>${done.length === 0 ? 'no budget was changed' : parts}</strong>. ${more.join(' ')}`;
}

function sum(counts: readonly LogCount[]): bigint {
  return counts.reduce((total, { count }) => total + count, 0n);
}

function deed(counts: readonly LogCount[], verb: string): Html[] {
  const persons = [...new Set(counts.flatMap(({ person }) => person ?? []))];
  const [first] = persons;
  if (first === undefined) return [];
  const who = persons.length === 1 ? named(line(first)) : counted(persons.length, 'person', 'people');
  return [html`${who} ${verb} ${counted(sum(counts), 'change')}`];
}

function sentence(count: bigint, unit: string, one: string, many: string): string | undefined {
  return count === 0n ? undefined : `${counted(count, unit)} ${count === 1n ? one : many}.`;
}

function frozenWords(count: bigint): string | undefined {
  if (count === 0n) return undefined;
  return `Budgets were frozen ${count === 1n ? 'once' : `${count.toLocaleString('en-US')} times`}.`;
}

function scopeWords({ from, to }: Days): string {
  if (from !== undefined && from === to) return `On ${dayOfYear(from)}`;
  const ends = [from && `from ${dayOfYear(from)}`, to && `until ${dayOfYear(to)}`].filter((end) => end !== undefined);
  return capitalised(ends.join(' '));
}
