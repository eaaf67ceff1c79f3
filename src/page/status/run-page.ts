import type { Frozen } from '../../domain/frozen.ts';
import { formatMoneyChange } from '../../domain/micros.ts';
import { detailWords, subjectWords } from '../../report/decision-facts.ts';
import { ACCOUNT_WORDS, CHANGE_WORDS, PROPOSAL_WORDS } from '../../report/state-words.ts';
import type { RecordedDecision } from '../../store/decision-table.ts';
import type { AccountInRun, PastRun } from '../../store/run-history.ts';
import { type Html, html } from '../html.ts';
import { codeWord } from '../report-decisions.ts';
import { named, table } from '../table.ts';
import { changeText } from '../wording.ts';
import { budgetLink } from './budget-link.ts';
import { frame } from './frame.ts';
import { linkFrom, PAGES, pathOf } from './pages.ts';
import { badge, column, duration, facts, instant, line, number, section } from './parts.ts';
import { runState } from './runs-page.ts';

export interface RunPageFacts {
  readonly frozen: Frozen | undefined;
  readonly run: PastRun;
  /** Those that were not read first. */
  readonly accounts: readonly (Omit<AccountInRun, 'state'> & {
    /** `not_read`: nothing was to be read of it. */
    readonly state: keyof typeof ACCOUNT_WORDS;
  })[];
  /** In the order in which it came to them. */
  readonly decisions: readonly RecordedDecision[];
  /** Where a list is as long as this, there may be more. */
  readonly listMax: number;
}

export function runPage({ run, accounts, decisions, listMax, frozen }: RunPageFacts): string {
  const path = pathOf('run', { id: run.id });
  const cut = (list: readonly unknown[]) =>
    list.length >= listMax && html`<p class="note">Only the first ${listMax} are shown.</p>`;
  const stopped = run.state === 'stopped';
  const those = (kind: RecordedDecision['kind']) => decisions.filter((one) => one.kind === kind);
  return frame({
    path,
    title: `Run ${run.id}`,
    frozen,
    isKnown: true,
    body: html`<h1>Run ${run.id} ${runState(run)}</h1>
${facts([
  ['Command', html`<code>${run.command}</code>${run.dryRun && ' (dry run)'}`],
  ['Began', instant(run.startedAt)],
  ['Ended', instant(run.endedAt)],
  ['Took', duration(run.startedAt, run.endedAt)],
  ['Service', line(run.target)],
  ['Automation', run.mode],
  ['Accounts', number(run.accounts)],
  ['Rows read', number(run.rowsRead)],
  ['Budget changes', number(run.budgetChanges)],
  ['Messages', number(run.messagesSent)],
  ['Operations', number(run.operations)],
])}
${section(stopped ? 'It was asked to stop' : 'What failed', failures(run))}
${section('Budget changes', changeTable(path, those('change')))}
${section('Asked for approval', proposalTable(path, those('proposal')))}
${section('Suggested', toldTable(`In ${run.dryRun ? 'a dry run' : 'mode propose'} nothing is changed, and nobody is asked`, those('would_change')))}
${section('What was refused', toldTable('What a rule wanted and a guard did not let it', those('refusal')))}
${decisions.length >= listMax && html`<p class="note">Only the first ${listMax} decisions are shown: the table <code>decision</code> of warehouse.sqlite has each.</p>`}
${section('Accounts', accounts.length > 0 ? html`${accountTable(accounts)}${cut(accounts)}` : notOnRecord(run))}
<p class="ways"><a href="${linkFrom(path, PAGES.runs.path)}">All runs</a></p>`,
  });
}

/** An empty section would not say whether it was forgotten. */
function notOnRecord({ state, accounts }: PastRun): Html | undefined {
  if (state === 'running' || accounts === 0n) return undefined;
  return html`<p class="note">What became of each is not on record: it is kept for extract.keep_records_days.</p>`;
}

function failures({ error }: PastRun): Html | undefined {
  const sentences = (error ?? '').split('\n').filter((sentence) => sentence.trim() !== '');
  return sentences.length === 0 ? undefined : html`<ul>${sentences.map((one) => html`<li>${line(one)}</li>`)}</ul>`;
}

function changeTable(path: string, changes: readonly RecordedDecision[]): Html | undefined {
  if (changes.length === 0) return undefined;
  return table({
    caption: 'Decided by this run',
    columns: [{ title: 'Change' }, { title: 'Budget' }, { title: 'Amount' }, { title: 'State' }, column('Why')],
    rows: changes.map(({ intent, reason, ...change }) => [
      intent === undefined ? NOT_RECORDED : `B${intent.id}`,
      budgetCell(path, change),
      amountsCell(change),
      intent === undefined ? NOT_RECORDED : badge(CHANGE_WORDS[intent.state]),
      line(reason),
    ]),
  });
}

function proposalTable(path: string, proposals: readonly RecordedDecision[]): Html | undefined {
  if (proposals.length === 0) return undefined;
  return table({
    caption: 'Asked of people by this run',
    columns: [{ title: 'Code' }, { title: 'Budget' }, { title: 'Amount' }, { title: 'State' }, column('Why')],
    rows: proposals.map(({ proposal, reason, ...change }) => [
      html`<span class="code">${proposal?.code ?? NOT_RECORDED}</span>`,
      budgetCell(path, change),
      amountsCell(change),
      proposal === undefined ? NOT_RECORDED : badge(PROPOSAL_WORDS[proposal.state]),
      line(reason),
    ]),
  });
}

const NOT_RECORDED = 'not recorded';

function budgetCell(path: string, { budgetId, ...budget }: Omit<RecordedDecision, 'reason' | 'intent' | 'proposal'>) {
  return budgetId === undefined ? NOT_RECORDED : budgetLink(path, { ...budget, budgetId });
}

function amountsCell({
  fromMicros,
  toMicros,
  currency,
}: Pick<RecordedDecision, 'fromMicros' | 'toMicros' | 'currency'>) {
  if (fromMicros === undefined || toMicros === undefined) return NOT_RECORDED;
  return formatMoneyChange(fromMicros, toMicros, currency);
}

function toldTable(caption: string, decisions: readonly RecordedDecision[]): Html | undefined {
  if (decisions.length === 0) return undefined;
  return table({
    caption,
    columns: [{ title: 'Campaign' }, { title: 'Account' }, { title: 'Amount' }, { title: 'Rule' }, column('Why')],
    rows: decisions.map((decision) => {
      const { accountName, customerId, rule, code, reason } = decision;
      const detail = detailWords(decision);
      return [
        named(line(subjectWords(decision))),
        named(line(accountName ?? customerId)),
        changeText(decision),
        rule,
        html`${detail !== undefined && html`<strong>${line(detail)}</strong> `}${line(reason)}${code !== undefined && html` <small>${codeWord(code)}</small>`}`,
      ];
    }),
  });
}

function accountTable(accounts: RunPageFacts['accounts']): Html {
  return table({
    caption: 'What became of each account',
    columns: [{ title: 'Account' }, { title: 'Outcome' }, { title: 'Rows', numeric: true }, column('Why')],
    rows: accounts.map(({ customerId, name, state, reason, rows }) => [
      html`${named(line(name ?? customerId))} <small>${customerId}</small>`,
      badge(ACCOUNT_WORDS[state]),
      number(rows),
      line(reason),
    ]),
  });
}
