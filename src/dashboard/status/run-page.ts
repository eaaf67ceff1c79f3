import { isRefused, isWaiting } from '../../domain/decision-facts.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { ACCOUNT_COLUMNS, RUN_FACTS } from '../../storage/columns/run-columns.ts';
import { isRefusedAct, runWord } from '../../storage/columns/state-words.ts';
import {
  type CountedDecisions,
  countDecisionsOfRun,
  decisionsOfRun,
  type RecordedDecision,
} from '../../storage/records/budgets/decision-table.ts';
import { accountsInRun, type PastRun, pastRun } from '../../storage/records/runs/run-history.ts';
import { type Html, html } from '../../views/html/html.ts';
import { badge, line, section } from '../../views/html/parts.ts';
import { htmlFacts, htmlSection } from '../../views/kit/html.ts';
import { RECORDED_DECISION_COLUMNS } from '../../views/recorded-decisions.ts';
import { sqlLinks } from '../explore/explore-link.ts';
import { namesOfBudgets } from '../report/budget-names.ts';
import { outcomeParts } from '../rules/rule-records.ts';
import { stateFrame } from './frame.ts';

const ACCOUNTS_MAX = 500;
const DECISIONS_MAX = 200;

export async function runPage(app: StateApp, { id }: { readonly id: string }): Promise<string | undefined> {
  const { db } = app.state;
  const found = await pastRun(db, BigInt(id));
  if (found === undefined) return undefined;
  const accountsOfRun = (await accountsInRun(db, found.id, ACCOUNTS_MAX + 1)).map(({ name, ...account }) => ({
    ...account,
    accountName: name,
    state: account.code === 'nothing_to_read' ? ('not_read' as const) : account.state,
  }));
  const { run, accounts, decisions } = redactTexts(
    {
      run: found,
      accounts: accountsOfRun,
      decisions: (await decisionsOfRun(db, found.id, DECISIONS_MAX)).map(await namesOfBudgets(app)),
    },
    app.settings,
  );
  const counted = await countDecisionsOfRun(db, found.id);
  const count = counted.reduce((sum, one) => sum + one.count, 0n);
  const path = pathOf('run', { id: run.id });
  const broke = run.state === 'stopped' ? 'Stopped' : isRefusedAct(run) ? 'Why' : 'Failures';
  const decided = (title: string, caption: string, isShown: (one: RecordedDecision) => boolean) =>
    htmlSection(path, title, caption, RECORDED_DECISION_COLUMNS, decisions.filter(isShown));
  const onlyShown = `${run.dryRun ? 'A dry run' : 'Mode propose'} changes nothing and asks for no approval`;
  return stateFrame(app, {
    path,
    title: `Run ${run.id}`,
    heading: html`Run ${run.id} ${badge(runWord(run))}`,
    body: html`${outcome(counted)}
${section(broke, failures(run))}
${decided('Budget changes', 'By this run', ({ kind }) => kind === 'change')}
${decided('Approval requested', 'By this run', ({ kind }) => kind === 'proposal')}
${decided('Awaiting approval', 'Requested before this run', isWaiting)}
${decided('Suggested', onlyShown, ({ kind }) => kind === 'would_change')}
${decided('Refused', 'By a guard', isRefused)}
<div class="card">${htmlFacts(path, RUN_FACTS, run)}</div>
${count > DECISIONS_MAX && html`<p class="note">Only the first ${DECISIONS_MAX} of ${count.toLocaleString('en-US')} decisions are shown. The published table <code>decision</code> has all.</p>`}
${htmlSection(path, 'Accounts', 'Result per account', ACCOUNT_COLUMNS, accounts.slice(0, ACCOUNTS_MAX)) ?? section('Accounts', notOnRecord(run))}
${accounts.length > ACCOUNTS_MAX && html`<p class="note">Only the first ${ACCOUNTS_MAX} are shown. The published table <code>run_account</code> has all.</p>`}
<p class="ways"><a href="${linkFrom(path, PAGES.runs.path)}">All runs</a> ${rowsOf(path, run.id, count, accounts.length)}</p>`,
  });
}

/** Such as "Budgets: 2 changed, 5 asked for approval." */
function outcome(counted: readonly CountedDecisions[]): Html | undefined {
  if (counted.length === 0) return undefined;
  return html`<p class="find">Budgets: ${outcomeParts(counted).join(', ')}.</p>`;
}

function rowsOf(path: string, id: bigint, decisions: bigint, accounts: number): Html {
  const ofRun = `WHERE run_id = ${id}`;
  return html`${decisions > 0 && sqlLinks(path, `SELECT * FROM decision ${ofRun} ORDER BY event_id`, ': decisions')} ${accounts > 0 && sqlLinks(path, `SELECT * FROM run_account ${ofRun} ORDER BY state, customer_id`, ': accounts')}`;
}

/** Undefined if the run still goes on or had no accounts. */
function notOnRecord({ state, accounts }: PastRun): Html | undefined {
  if (state === 'running' || accounts === 0n) return undefined;
  return html`<p class="note">No results per account on record. They are kept for extract.keep_records_days.</p>`;
}

function failures({ error }: PastRun): Html | undefined {
  const sentences = (error ?? '').split('\n').filter((sentence) => sentence.trim() !== '');
  return sentences.length === 0 ? undefined : html`<ul>${sentences.map((one) => html`<li>${line(one)}</li>`)}</ul>`;
}
