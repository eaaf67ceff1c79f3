import type { Frozen } from '../../domain/frozen.ts';
import { RUN_WORDS } from '../../report/state-words.ts';
import type { RecordedDecision } from '../../store/decision-table.ts';
import type { PastRun } from '../../store/run-history.ts';
import { RECORDED_DECISION_COLUMNS } from '../../views/recorded-decisions.ts';
import { htmlFacts, htmlSection } from '../../views/render/html.ts';
import { ACCOUNT_COLUMNS, type AccountOfRun, RUN_FACTS } from '../../views/run-columns.ts';
import { type Html, html } from '../html.ts';
import { frame } from './frame.ts';
import { linkFrom, PAGES, pathOf } from './pages.ts';
import { badge, line, section } from './parts.ts';

export interface RunPageFacts {
  readonly frozen: Frozen | undefined;
  readonly run: PastRun;
  /** Those that were not read first. */
  readonly accounts: readonly AccountOfRun[];
  /** In the order in which it came to them. */
  readonly decisions: readonly RecordedDecision[];
  /** Where a list is as long as this, there may be more. */
  readonly listMax: number;
}

export function runPage({ run, accounts, decisions, listMax, frozen }: RunPageFacts): string {
  const path = pathOf('run', { id: run.id });
  const stopped = run.state === 'stopped';
  const decided = (title: string, caption: string, kind: RecordedDecision['kind']) =>
    htmlSection(
      path,
      title,
      caption,
      RECORDED_DECISION_COLUMNS,
      decisions.filter((one) => one.kind === kind),
    );
  return frame({
    path,
    title: `Run ${run.id}`,
    frozen,
    isKnown: true,
    body: html`<h1>Run ${run.id} ${badge(RUN_WORDS[run.state])}</h1>
${htmlFacts(path, RUN_FACTS, run)}
${section(stopped ? 'It was asked to stop' : 'What failed', failures(run))}
${decided('Budget changes', 'Decided by this run', 'change')}
${decided('Asked for approval', 'Asked of people by this run', 'proposal')}
${decided('Suggested', `In ${run.dryRun ? 'a dry run' : 'mode propose'} nothing is changed, and nobody is asked`, 'would_change')}
${decided('What was refused', 'What a rule wanted and a guard did not let it', 'refusal')}
${decisions.length >= listMax && html`<p class="note">Only the first ${listMax} decisions are shown: the table <code>decision</code> of warehouse.sqlite has each.</p>`}
${htmlSection(path, 'Accounts', 'What became of each account', ACCOUNT_COLUMNS, accounts) ?? section('Accounts', notOnRecord(run))}
${accounts.length >= listMax && html`<p class="note">Only the first ${listMax} are shown.</p>`}
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
