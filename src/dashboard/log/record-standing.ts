import { minuteText } from '../../domain/civil-date.ts';
import type { StateApp } from '../../engine/app.ts';
import { proveEventsAfter } from '../../engine/budgets/verify-audit.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { freezeState } from '../../storage/records/budgets/freeze-record.ts';
import { headText, type RecordHead, recordHead } from '../../storage/records/budgets/record-head.ts';
import { isLastRunProven, lastProof } from '../../storage/records/runs/run-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { line } from '../../views/html/parts.ts';
import { aside } from '../../views/html/table.ts';
import { counted } from '../../views/html/wording.ts';

type Standing =
  /** A run verified all events at `wholeAt`, and later runs those before `head`. This page verified `newer` events. */
  | { readonly kind: 'intact'; readonly wholeAt: string; readonly newer: bigint }
  | { readonly kind: 'unverified'; readonly why: string }
  | { readonly kind: 'doubt'; readonly problem: string };

/** Only runs have time for all events. The page verifies the events since the last run. */
export async function recordStanding({ state: { db }, settings }: StateApp): Promise<Html> {
  const now = await recordHead(db);
  return standingWords(redactTexts(await standingOf(db, now), settings), now);
}

async function standingOf(db: StateApp['state']['db'], now: RecordHead): Promise<Standing> {
  const freeze = await freezeState(db);
  // The program itself freezes only if it found the record altered, or replaced by a copy.
  if (freeze?.by === 'pacekeeper') return { kind: 'doubt', problem: freeze.why };
  const { head, wholeAt } = await lastProof(db);
  if (head === undefined || wholeAt === undefined) {
    return { kind: 'unverified', why: 'No run has verified it yet. The next report does.' };
  }
  const { problems } = await proveEventsAfter(db, head);
  const [problem] = problems;
  if (problem !== undefined) return { kind: 'doubt', problem };
  if (!(await isLastRunProven(db))) return { kind: 'unverified', why: 'The last run ended without verifying it.' };
  return { kind: 'intact', wholeAt, newer: now.id - head.id };
}

function standingWords(standing: Standing, head: RecordHead): Html {
  const text = headText(head);
  const way = html`<details><summary>Head ${text.slice(0, text.indexOf(':') + 9)}…, verify it elsewhere</summary><p>Keep this head elsewhere. Later, this command shows if the record still contains it:</p>
<p><code>pacekeeper audit verify --head ${text}</code></p></details>`;
  switch (standing.kind) {
    case 'intact': {
      const { wholeAt, newer } = standing;
      const added = newer === 0n ? '' : ` This page verified the newest ${newer.toLocaleString('en-US')}.`;
      return html`<div class="notice calm"><p><strong>Record intact.</strong> ${counted(head.id, 'event')} in one unbroken chain. A run verified all events on ${minuteText(wholeAt)}, and each later run the new ones.${added}</p>${way}</div>`;
    }
    case 'unverified':
      return html`<div class="notice"><p><strong>Record not verified.</strong> ${standing.why} To verify it now, run <code>pacekeeper audit verify</code>.</p>${way}</div>`;
    case 'doubt':
      return html`<div class="notice serious"><p><strong>Record in doubt.</strong> ${aside(line(standing.problem))} Run <code>pacekeeper audit verify</code>.</p>${way}</div>`;
  }
}
