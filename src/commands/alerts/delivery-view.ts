import type { MessageResult } from '../../results/report-result.ts';
import { MESSAGE_WORDS } from '../../text/state-words.ts';
import { bullets, oneLine, section, type TextLayout, wrapText } from '../../text/text-layout.ts';
import { toJson } from '../../text/to-json.ts';
import { OUTBOX_COLUMNS, type ShownRow } from '../../views/alerts-list.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { messageObject } from '../../views/report/render-json.ts';
import { messageLines, sentWords } from '../../views/report/render-text.ts';

export interface DeliveryResult {
  readonly messages: readonly MessageResult[];
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

export function renderDelivery({ messages, notes, failures }: DeliveryResult, layout: TextLayout): string {
  const blocks = [
    section('Alerts', messageLines(messages, layout), layout),
    section('Notes', bullets(notes, layout), layout),
    section('Failed', bullets(failures, layout), layout),
    `${sentWords(messages)}.`,
  ];
  return `${blocks.filter((text) => text !== '').join('\n\n')}\n`;
}

export function renderDeliveryJson({ messages, notes, failures }: DeliveryResult): string {
  return toJson({
    messages: messages.map(messageObject),
    notes,
    failures,
  });
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
  return `${lines.join('\n')}\n`;
}

export function renderTestedJson(tested: readonly TestedRecipient[]): string {
  return toJson({
    recipients: tested.map(({ name, accepted, rows }) => ({
      name,
      accepted,
      rows: rows.map((row) => jsonObject(OUTBOX_COLUMNS, row)),
    })),
  });
}
