import { firstLineOf } from '../../domain/first-line.ts';
import type { Frozen } from '../../domain/frozen.ts';
import type { ListedAlerts, ShownRow } from '../../report/render-alerts.ts';
import { scopeOf } from '../../report/render-alerts.ts';
import { namesOf } from '../../report/sections.ts';
import { MESSAGE_WORDS } from '../../report/state-words.ts';
import type { NameOf } from '../../report/text-layout.ts';
import { type Html, html } from '../html.ts';
import { table } from '../table.ts';
import { frame } from './frame.ts';
import { PAGES } from './pages.ts';
import { account, badge, column, instant, line, section } from './parts.ts';

const { path, title } = PAGES.alerts;

const ROWS_MAX = 200;
const SEVERITIES = { info: 'plain', warning: 'waits', critical: 'bad' } as const;
/** What fires, what was told and to whom; whoever is told is masked already. */
export function alertsPage({
  accounts,
  firing,
  waiting,
  counted,
  lost,
  past,
  silences,
  now,
  frozen,
}: ListedAlerts & { readonly frozen: Frozen | undefined }): string {
  const nameOf = namesOf(accounts);
  const rows = (caption: string, list: readonly ShownRow[]) =>
    list.length > 0 && outboxTable(caption, list.slice(-ROWS_MAX).toReversed(), nameOf);
  const told = [...past, ...counted].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return frame({
    path,
    title,
    frozen,
    isKnown: true,
    body: html`<h1>${title}</h1>
${firing.length + waiting.length + lost.length === 0 && html`<p>Nothing fires, and nothing waits to be told.</p>`}
${section('Firing', firing.length > 0 && firingTable(firing, nameOf))}
${section('Not known to have arrived', rows('The last try of each alert and person', lost))}
${section('Waiting to be told', rows('The newest first', waiting))}
${section('Told', rows('The newest first', told))}
${section('Silences', silences.length > 0 && silenceTable(silences, now, nameOf))}`,
  });
}

function severity(word: keyof typeof SEVERITIES): Html {
  return badge([word, SEVERITIES[word]]);
}

function firingTable(firing: ListedAlerts['firing'], nameOf: NameOf): Html {
  return table({
    caption: 'Conditions that are true, as far as the last run knows',
    columns: ['Severity', 'What', 'Account', 'Rule', 'Since', 'Told'].map(column),
    rows: firing.map((alert) => [
      severity(alert.severity),
      line(firstLineOf(alert.text)),
      alert.customerId === undefined ? '' : account(alert.customerId, nameOf),
      line(alert.rule),
      instant(alert.firedAt),
      instant(alert.notified?.at),
    ]),
  });
}

function outboxTable(caption: string, rows: readonly ShownRow[], nameOf: NameOf): Html {
  return table({
    caption,
    columns: ['State', 'Severity', 'What', 'To', 'Account', 'When', 'Why'].map(column),
    rows: rows.map((row) => [
      badge(MESSAGE_WORDS[row.state]),
      severity(row.severity),
      html`${line(firstLineOf(row.text))}${row.counted && html` <small>as one of a number</small>`}`,
      row.recipient === undefined ? 'not addressed yet' : html`<span class="amount">${line(row.recipient)}</span>`,
      row.customerId === undefined ? '' : account(row.customerId, nameOf),
      instant(row.acceptedAt ?? row.updatedAt),
      line(row.why),
    ]),
  });
}

function silenceTable(silences: ListedAlerts['silences'], now: string, nameOf: NameOf): Html {
  return table({
    caption: 'What nobody wants to hear of',
    columns: ['Silence', 'Of what', 'State', 'Until', 'By', 'Why'].map(column),
    rows: silences
      .toReversed()
      .map((silence) => [
        `S${silence.id}`,
        line(scopeOf(silence, nameOf)),
        silence.endedAt !== undefined || silence.expiresAt <= now
          ? badge(['over', 'plain'])
          : badge(['holds', 'waits']),
        instant(silence.endedAt ?? silence.expiresAt),
        line(silence.createdBy),
        line(silence.why),
      ]),
  });
}
