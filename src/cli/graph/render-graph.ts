import type { PagesDiagnosis } from '../../apis/graph/diagnose-pages.ts';
import { maskRecipient } from '../../domain/mask-recipient.ts';
import type { SentText } from '../../jobs/send-graph-text.ts';
import { oneLine, type TextLayout } from '../../report/text-layout.ts';
import { wrapText } from '../../report/wrap-text.ts';
import { PAGE_COLUMNS } from '../../views/graph.ts';
import { jsonObject } from '../../views/render/json.ts';

export function renderSent({ from, providerId }: SentText, to: string): string {
  const name = providerId === undefined ? '' : ` as ${oneLine(providerId)}`;
  return `The service took the text to ${maskRecipient(`+${to}`)} from ${from}${name}. Whether the text arrives is not known yet.`;
}

export function sentJson({ from, providerId }: SentText, to: string): object {
  return { to: maskRecipient(`+${to}`), from, provider_id: providerId };
}

/** The steps that are left, numbered; the first of them done where it was. */
export function renderDiagnosis(
  { kind, finding, steps }: PagesDiagnosis,
  { revoke, revoked }: { readonly revoke: boolean; readonly revoked: boolean },
  { width }: TextLayout,
): string {
  const numbered = steps.map((step, index) => `${index + 1}. ${revoked && index === 0 ? DONE : step}`);
  const idle = revoke && !revoked ? `Nothing was taken back: ${IDLE[kind]}.` : undefined;
  return [finding, idle, ...numbered]
    .filter((line) => line !== undefined)
    .map((line) => wrapText(line, width, '', line === finding ? '' : '   '))
    .join('\n');
}

const DONE = 'The permissions were taken back.';
const IDLE: Readonly<Record<PagesDiagnosis['kind'], string>> = {
  pages_there: 'nothing is wrong',
  not_granted: 'the permission is not there to be taken back',
  granted_without_pages: 'it failed',
};

export function diagnosisJson({ kind, finding, steps, ...found }: PagesDiagnosis, revoked: boolean): object {
  return {
    ...{ kind, finding, revoked, steps: revoked ? steps.slice(1) : steps },
    ...{ pages: found.pages.map((page) => jsonObject(PAGE_COLUMNS, page)), permissions: found.permissions },
  };
}
