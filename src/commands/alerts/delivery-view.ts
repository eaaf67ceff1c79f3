import type { AlertDelivery } from '../../engine/tell/deliver-alerts.ts';
import { MESSAGE_WORDS } from '../../storage/columns/state-words.ts';
import { OUTBOX_COLUMNS, type ShownRow } from '../../views/alerts-list.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { messageObject } from '../../views/report/render-json.ts';
import { messageLines, sentWords } from '../../views/report/render-text.ts';
import { bullets, oneLine, section, type TextLayout, wrapText } from '../../views/text/text-layout.ts';

export function renderDelivery({ messages, notes, failures }: AlertDelivery, layout: TextLayout): string {
  const blocks = [
    section('Alerts', messageLines(messages, layout), layout),
    section('Notes', bullets(notes, layout), layout),
    section('Failed', bullets(failures, layout), layout),
    `${sentWords(messages)}.`,
  ];
  return blocks.filter((text) => text !== '').join('\n\n');
}

export function deliveryJson({ messages, notes, failures }: AlertDelivery): object {
  return { messages: messages.map(messageObject), notes, failures };
}

export interface TestedRecipient {
  readonly name: string;
  readonly rows: readonly ShownRow[];
  readonly accepted: boolean;
}

export function renderTested(tested: readonly TestedRecipient[], { width }: TextLayout): string {
  const lines = tested.flatMap(({ name, rows }) =>
    rows.map(({ state, recipient, why }) =>
      wrapText(
        oneLine(`${name}: ${MESSAGE_WORDS[state][0]}, ${recipient}${why === undefined ? '' : `, ${why}`}`),
        width,
        '',
        '  ',
      ),
    ),
  );
  return lines.join('\n');
}

export function testedJson(tested: readonly TestedRecipient[]): object {
  return {
    recipients: tested.map(({ name, accepted, rows }) => ({
      name,
      accepted,
      rows: rows.map((row) => jsonObject(OUTBOX_COLUMNS, row)),
    })),
  };
}
