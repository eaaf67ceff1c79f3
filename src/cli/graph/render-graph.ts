import type { PagesDiagnosis } from '../../apis/graph/diagnose-pages.ts';
import type { PhoneNumber } from '../../apis/graph/list-phone-numbers.ts';
import type { PageToken } from '../../apis/graph/page-tokens.ts';
import type { Permission } from '../../apis/graph/permissions.ts';
import { maskRecipient } from '../../domain/mask-recipient.ts';
import type { SentText } from '../../jobs/send-graph-text.ts';
import { oneLine, type TextLayout } from '../../report/text-layout.ts';
import { type TableColumn, textTable } from '../../report/text-table.ts';
import { wrapText } from '../../report/wrap-text.ts';

const shownText = (text: string | undefined) => (text === undefined ? '-' : oneLine(text));
const left = (title: string, flexible = false): TableColumn => ({ title, align: 'left', flexible });

export function renderSent({ from, providerId }: SentText, to: string): string {
  const name = providerId === undefined ? '' : ` as ${oneLine(providerId)}`;
  return `The service took the text to ${maskRecipient(`+${to}`)} from ${from}${name}. Whether the text arrives is not known yet.`;
}

export function sentJson({ from, providerId }: SentText, to: string): object {
  return { to: maskRecipient(`+${to}`), from, provider_id: providerId };
}

export function renderPhoneNumbers(numbers: readonly PhoneNumber[], { width }: TextLayout): string {
  if (numbers.length === 0) return 'The business account has no number.';
  const rows = numbers.map(({ id, displayNumber, verifiedName, qualityRating }) => [
    id,
    ...[displayNumber, verifiedName, qualityRating].map(shownText),
  ]);
  return textTable([left('id'), left('number'), left('name', true), left('quality')], rows, width);
}

export function phoneNumbersJson(numbers: readonly PhoneNumber[]): object[] {
  return numbers.map(({ id, displayNumber, verifiedName, qualityRating }) => ({
    ...{ id, display_phone_number: displayNumber, verified_name: verifiedName, quality_rating: qualityRating },
  }));
}

const tokenOf = ({ accessToken }: PageToken) => (accessToken === undefined ? 'none' : 'held');

export function renderPages(pages: readonly PageToken[], { width }: TextLayout): string {
  if (pages.length === 0) return 'No page is reached; pacekeeper graph diagnose-pages says why.';
  const rows = pages.map((page) => [
    ...[page.id, page.name, page.category, page.tasks.join(', ') || undefined].map(shownText),
    tokenOf(page),
  ]);
  const columns = [left('id'), left('name', true), left('category', true), left('tasks', true), left('token')];
  return textTable(columns, rows, width);
}

export function pagesJson(pages: readonly PageToken[]): object[] {
  return pages.map((page) => ({
    ...{ id: page.id, name: page.name, category: page.category, tasks: page.tasks, token: tokenOf(page) },
  }));
}

export function renderPermissions(permissions: readonly Permission[], { width }: TextLayout): string {
  if (permissions.length === 0) return 'The user granted nothing.';
  const rows = permissions.map(({ permission, status }) => [oneLine(permission), oneLine(status)]);
  return textTable([left('permission', true), left('status')], rows, width);
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
    ...{ pages: pagesJson(found.pages), permissions: found.permissions },
  };
}
