import { type Column, id, instant, list, state, text } from '../storage/columns/column.ts';
import type { StateWord } from '../storage/columns/state-words.ts';
import type { ReadLink } from '../storage/records/read-link-table.ts';
import { oneList } from './kit/listing.ts';

export interface ShownLink extends ReadLink {
  readonly state: keyof typeof LINK_WORDS;
}

const LINK_WORDS = {
  valid: ['valid', 'good'],
  expired: ['expired', 'plain'],
  revoked: ['revoked', 'plain'],
} as const satisfies Readonly<Record<string, StateWord>>;

export function shownLink(link: ReadLink, now: string): ShownLink {
  const state = link.revokedAt !== undefined ? 'revoked' : link.expiresAt <= now ? 'expired' : 'valid';
  return { ...link, state };
}

export const LINK_COLUMNS: readonly Column<ShownLink>[] = [
  id('id', 'The number of the link.', 'id', { title: 'Link' }),
  text('name', 'The table or question that it reads.', 'name', { title: 'Reads' }),
  state('state', 'valid, expired or revoked.', 'state', { title: 'State', word: (link) => LINK_WORDS[link.state] }),
  list('customers', 'The accounts that it reads. Empty: all.', ({ fixed }) => fixed.customers, { title: 'Accounts' }),
  list('columns', 'The columns that it reads.', ({ fixed }) => fixed.columns, { title: 'Columns', long: true }),
  list('limits', 'Its days, and the values that rows must have.', limitsOf, { title: 'Limits', long: true }),
  list('named', 'Tables of the record or of clicks that the question may read.', ({ fixed }) => fixed.named, {
    title: 'May also read',
    long: true,
  }),
  text('created_by', 'The person who made it.', 'createdBy', { title: 'Made by' }),
  instant('created_at', 'When it was made.', 'createdAt', { title: 'Made' }),
  instant('expires_at', 'When it ends.', 'expiresAt', { title: 'Ends' }),
  text('revoked_by', 'The person who revoked it.', 'revokedBy', { title: 'Revoked by' }),
  instant('revoked_at', 'When it was revoked.', 'revokedAt', { title: 'Revoked' }),
];

function limitsOf({ fixed: { from, to, where } }: ShownLink): readonly string[] {
  const days = [from !== undefined && `from ${from}`, to !== undefined && `to ${to}`].filter((one) => one !== false);
  return [...days, ...Object.entries(where).map(([column, value]) => `${column}=${value}`)];
}

export const LINKS_LIST = oneList<ShownLink>({
  name: 'serve link list',
  about: 'One row per read link, with ended ones. The keys are not stored.',
  columns: LINK_COLUMNS,
  none: 'No links.',
});
