import { agentOf, isMade } from '../../domain/budget-change.ts';
import { isWaiting } from '../../domain/decision-facts.ts';
import { linkFrom, PAGES } from '../../domain/pages.ts';
import type { Role } from '../../domain/role.ts';
import { CHANGE_WORDS, PROPOSAL_WORDS, type StateWord } from '../../storage/columns/state-words.ts';
import type { LogKind } from '../../storage/records/budgets/change-log.ts';
import type { Account } from '../../storage/records/runs/account-table.ts';
import { recordEventText } from '../../views/budgets-history.ts';
import type { LogEntry } from '../../views/change-log.ts';
import { type Html, html } from '../../views/html/html.ts';
import { account, amountChange, badge, budgetLink, instant, line } from '../../views/html/parts.ts';
import { aside, named } from '../../views/html/table.ts';
import { counted } from '../../views/html/wording.ts';
import { inboxLink } from '../../views/recorded-decisions.ts';
import { detailWords, shortSubject, stateWordOf } from '../../views/report/decision-words.ts';
import { actLink } from '../inbox/act-page.ts';

const { path } = PAGES.log;

/** For the filter. */
export const KIND_TITLES: Readonly<Record<LogKind, string>> = {
  change: 'Changes by rules',
  approval: 'Approved changes',
  undo: 'Undos',
  elsewhere: 'Changes elsewhere',
  request: 'Requests without a decision',
  rejection: 'Rejections',
  freeze: 'Freezes',
  unfreeze: 'Ends of freezes',
  setting: 'Settings that allow more',
  copy: 'Restored and adopted copies',
  refusal: 'Refusals by guards',
  suggestion: 'Suggestions',
};

export interface LogReader {
  readonly role: Role;
  readonly isFrozen: boolean;
  /** Now, in UTC. */
  readonly now: string;
  readonly accounts: readonly Account[];
  /** The descriptions of today's rules, by their names. */
  readonly ruleTexts: ReadonlyMap<string, string>;
  /** The address with this restriction more. */
  readonly only: (name: 'by' | 'rule', value: string) => string;
}

/** The deed and its reason. All events of the entry are under a fold. */
export function logEntry(entry: LogEntry, reader: LogReader): Html {
  const { eventId, at, steps } = entry;
  const { customerId, accountName, rule } = about(entry);
  const notes = [
    customerId && html`<span>${account(customerId, accountName, path)}</span>`,
    rule !== undefined &&
      entry.person !== undefined &&
      html`<span>${agentOf(rule) === undefined ? 'rule' : 'agent'} ${filterLink(reader, 'rule', rule)}</span>`,
  ];
  const reason = computed(entry);
  const state = stateOf(entry, reader.now);
  const lines = [...(reason === undefined ? [] : [aside(line(reason))]), ...steps.map(stepLine)];
  return html`<li id="e${eventId}"><time datetime="${at}">${at.slice(11, 16)}</time><div><p>${whoOf(entry, reader)} ${deedOf(entry)} ${amountsOf(entry)} ${state && badge(state)}</p>
${whyOf(entry, reader).map((why) => html`<p>${why}</p>`)}
<div class="line">${notes}<details><summary>${counted(steps.length, 'event')}</summary><p class="log">${lines.map((one, index) => html`${index > 0 && html`<br>`}${one}`)}</p></details></div></div>${actOf(entry, reader)}</li>
`;
}

function about({ change, foreign, proposal, decision }: LogEntry) {
  const rule = change?.origin === 'undo' ? undefined : (change ?? proposal ?? decision)?.rule;
  const { customerId, accountName } = change ?? proposal ?? decision ?? foreign ?? {};
  return { customerId, accountName, rule };
}

function filterLink({ only }: LogReader, name: 'by' | 'rule', value: string): Html {
  const words = name === 'rule' ? (agentOf(value) ?? value) : value;
  return html`<a href="${linkFrom(path, path)}${only(name, value)}">${named(line(words))}</a>`;
}

function whoOf(entry: LogEntry, reader: LogReader): Html {
  const { person, kind } = entry;
  if (person !== undefined) return html`<strong>${filterLink(reader, 'by', person)}</strong>`;
  const { rule } = about(entry);
  if (kind === 'elsewhere' || rule === undefined) return html`<strong>Somebody else</strong>`;
  return html`<span class="muted">${agentOf(rule) === undefined ? 'Rule' : 'Agent'}</span> ${filterLink(reader, 'rule', rule)}`;
}

function deedOf({ kind, event, change, foreign, proposal, decision }: LogEntry): Html {
  if (change !== undefined) {
    const { id, undoes } = change;
    const object = html`${budgetLink(path, change)} <span class="code muted">B${id}</span>`;
    if (kind === 'approval') return html`approved ${object}`;
    const isDone = isMade(change);
    if (kind === 'undo') return html`${isDone ? 'undid' : 'decided to undo'} B${undoes}: ${object}`;
    return html`${isDone ? directionOf(change, 'raised', 'lowered') : `decided to ${directionOf(change, 'raise', 'lower')}`} ${object}`;
  }
  if (proposal !== undefined) {
    const object = html`${budgetLink(path, proposal)} <span class="code muted">${proposal.code}</span>`;
    return kind === 'rejection'
      ? html`rejected: ${directionOf(proposal, 'raise', 'lower')} ${object}`
      : html`asked to ${directionOf(proposal, 'raise', 'lower')} ${object}`;
  }
  if (foreign !== undefined) return html`changed ${budgetLink(path, foreign)}`;
  if (decision !== undefined) {
    const object = named(line(shortSubject(decision)));
    if (kind !== 'refusal') return html`would change ${object}`;
    return isWaiting(decision) ? html`wanted to change ${object}` : html`was not allowed to change ${object}`;
  }
  return html`${event && (DEEDS[event.kind] ?? event.kind)}`;
}

const DEEDS: Readonly<Record<string, string>> = {
  frozen: 'froze all budgets',
  freeze_file_found: 'froze all budgets with a file',
  unfrozen: 'unfroze budgets',
  freeze_file_gone: 'removed the file that froze budgets',
  settings_widened: 'found settings that allow more',
  restored: 'found a restored record',
  adopted: 'adopted the data folder',
};

function directionOf<Word>({ from, to }: { readonly from: bigint; readonly to: bigint }, up: Word, down: Word): Word {
  return to > from ? up : down;
}

function amountsOf({ change, foreign, proposal, decision }: LogEntry): Html | undefined {
  const { from, to, currency } =
    change ?? proposal ?? (foreign && { ...foreign, from: foreign.expected, to: foreign.found }) ?? decision ?? {};
  if (from === undefined || to === undefined) return undefined;
  return html`${amountChange(from, to, currency)} <small>a day</small>`;
}

function stateOf({ change, proposal, decision }: LogEntry, now: string): StateWord | undefined {
  if (change?.undoneBy !== undefined) return [`undone by B${change.undoneBy.id}`, 'plain'];
  if (change !== undefined) return CHANGE_WORDS[change.state];
  if (decision !== undefined) return stateWordOf(decision);
  if (proposal === undefined) return undefined;
  return PROPOSAL_WORDS[proposal.state === 'open' && proposal.expiresAt <= now ? 'expired' : proposal.state];
}

const ENDS: Readonly<Record<string, string>> = {
  superseded: ' Superseded: a later report or another amount replaced it.',
  expired: ' Expired: nobody decided in time.',
};

/** Explains the ends that these entries have, each once. */
export function endWords(entries: readonly LogEntry[], now: string): string {
  const states = new Set(entries.map((entry) => stateOf(entry, now)?.[0] ?? ''));
  return [...states].map((state) => ENDS[state] ?? '').join('');
}

const quoted = (text: string) => html`“${aside(line(text))}”`;

/** A person's reason is quoted. For a rule, its description, or its condition with its numbers. */
function whyOf(entry: LogEntry, { accounts, ruleTexts }: LogReader): readonly Html[] {
  const { kind, event, change, proposal, decision } = entry;
  const { rule } = about(entry);
  const said = (change ?? proposal)?.why;
  const reason = (change ?? proposal ?? decision)?.reason;
  const told = event === undefined ? '' : recordEventText(event, accounts);
  const isSaid = kind === 'freeze' || kind === 'unfreeze';
  const plain = [
    decision && detailWords(decision),
    said === undefined || kind !== 'undo' ? ((rule && ruleTexts.get(rule)) ?? reason) : undefined,
    change?.outcome,
    isSaid ? undefined : told,
  ];
  return [
    ...(said === undefined ? [] : [quoted(said)]),
    ...(isSaid && told !== '' ? [quoted(told)] : []),
    ...plain.flatMap((text) => (text === undefined || text === '' ? [] : [aside(line(text))])),
  ];
}

/** The condition of the rule with its numbers, as the record has it. */
function computed({ change, proposal, decision }: LogEntry): string | undefined {
  return (change ?? proposal ?? decision)?.reason;
}

function stepLine(step: LogEntry['steps'][number]): Html {
  const { id, createdAt, kind, actor, why } = step;
  return html`${id}. ${instant(createdAt)} ${kind.replaceAll('_', ' ')}, ${aside(line(actor))}${why !== undefined && html`: ${quoted(why)}`}`;
}

function actOf({ kind, change, proposal, decision }: LogEntry, { role, isFrozen, now }: LogReader): Html | undefined {
  if (change !== undefined && isMade(change) && change.undoneBy === undefined) {
    return actLink(role, { act: 'undo', on: `B${change.id}` }, isFrozen);
  }
  if (decision !== undefined) return inboxLink(decision, path);
  if (kind !== 'request' || proposal?.state !== 'open' || proposal.expiresAt <= now) return undefined;
  return html`<a class="button" href="${linkFrom(path, PAGES.inbox.path)}#proposal-${proposal.code}" aria-label="Decide ${proposal.code}">Decide</a>`;
}
