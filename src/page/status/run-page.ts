import type { Frozen } from '../../domain/frozen.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { formatMoneyChange } from '../../domain/micros.ts';
import type { ShownChange, ShownProposal } from '../../report/render-budgets.ts';
import { ACCOUNT_WORDS, CHANGE_WORDS, PROPOSAL_WORDS } from '../../report/state-words.ts';
import { type Html, html } from '../html.ts';
import { codeWord } from '../report-decisions.ts';
import type { DecisionFacts } from '../report-facts.ts';
import { named, table } from '../table.ts';
import { changeText } from '../wording.ts';
import { budgetLink } from './budget-link.ts';
import { frame } from './frame.ts';
import { badge, column, duration, facts, instant, line, number, section } from './parts.ts';
import { runState, type ShownRun } from './runs-page.ts';

export interface RunFacts {
  readonly frozen: Frozen | undefined;
  readonly run: ShownRun;
  /** Those that were not read first. */
  readonly accounts: readonly {
    readonly customerId: CustomerId;
    readonly name: string | undefined;
    /** `not_read`: nothing was to be read of it. */
    readonly state: 'read' | 'failed' | 'left_out' | 'not_reached' | 'not_read' | 'stopped';
    readonly reason: string | undefined;
    readonly rows: bigint;
  }[];
  readonly changes: readonly ShownChange[];
  readonly proposals: readonly ShownProposal[];
  /** What it refused, and what it would have changed, as far as its record is still there. */
  readonly told: readonly DecisionFacts[];
  /** Where a list is as long as this, there may be more. */
  readonly listMax: number;
}

export function runPage({ run, accounts, changes, proposals, told, listMax, frozen }: RunFacts): string {
  const path = `/runs/${run.id}`;
  const cut = (list: readonly unknown[]) =>
    list.length >= listMax && html`<p class="note">Only the first ${listMax} are shown.</p>`;
  const stopped = run.state === 'stopped';
  const [would, refused] = (['would_change', 'refusal'] as const).map((kind) =>
    told.filter((one) => one.kind === kind),
  );
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
${section('Budget changes', changes.length > 0 && html`${changeTable(path, changes)}${cut(changes)}`)}
${section('Asked for approval', proposals.length > 0 && html`${proposalTable(path, proposals)}${cut(proposals)}`)}
${section('Suggested', would && toldTable('In mode propose nothing is changed, and nobody is asked', would))}
${section('What was refused', refused && toldTable('What a rule wanted and a guard did not let it', refused))}
${told.length >= listMax && html`<p class="note">The run’s JSON (data/runs/${run.id}.json) has every decision.</p>`}
${section('Accounts', accounts.length > 0 ? html`${accountTable(accounts)}${cut(accounts)}` : notOnRecord(run))}
<p class="ways"><a href="../runs">All runs</a></p>`,
  });
}

/** An empty section would not say whether it was forgotten. */
function notOnRecord({ state, accounts }: ShownRun): Html | undefined {
  if (state === 'running' || accounts === 0n) return undefined;
  return html`<p class="note">What became of each is not on record: it is kept for extract.keep_records_days.</p>`;
}

function failures({ error }: ShownRun): Html | undefined {
  const sentences = (error ?? '').split('\n').filter((sentence) => sentence.trim() !== '');
  return sentences.length === 0 ? undefined : html`<ul>${sentences.map((one) => html`<li>${line(one)}</li>`)}</ul>`;
}

function changeTable(path: string, changes: readonly ShownChange[]): Html {
  return table({
    caption: 'Decided by this run',
    columns: [{ title: 'Change' }, { title: 'Budget' }, { title: 'Amount' }, { title: 'State' }, column('Why')],
    rows: changes.map((change) => [
      `B${change.id}`,
      budgetLink(path, change),
      formatMoneyChange(change.from, change.to, change.currency),
      badge(CHANGE_WORDS[change.state]),
      line(change.reason),
    ]),
  });
}

function proposalTable(path: string, proposals: readonly ShownProposal[]): Html {
  return table({
    caption: 'Asked of people by this run',
    columns: [{ title: 'Code' }, { title: 'Budget' }, { title: 'Amount' }, { title: 'State' }, column('Why')],
    rows: proposals.map((proposal) => [
      html`<span class="code">${proposal.code}</span>`,
      budgetLink(path, proposal),
      formatMoneyChange(proposal.from, proposal.to, proposal.currency),
      badge(PROPOSAL_WORDS[proposal.state]),
      line(proposal.reason),
    ]),
  });
}

function toldTable(caption: string, decisions: readonly DecisionFacts[]): Html | undefined {
  if (decisions.length === 0) return undefined;
  return table({
    caption,
    columns: [{ title: 'Campaign' }, { title: 'Account' }, { title: 'Amount' }, { title: 'Rule' }, column('Why')],
    rows: decisions.map(({ subject, account, rule, code, reason, detail, ...amounts }) => [
      named(line(subject)),
      named(line(account)),
      changeText(amounts),
      rule,
      html`${detail !== undefined && html`<strong>${line(detail)}</strong> `}${line(reason)}${code !== undefined && html` <small>${codeWord(code)}</small>`}`,
    ]),
  });
}

function accountTable(accounts: RunFacts['accounts']): Html {
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
