import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { packageRoot } from '../../config/package-root.ts';
import { InputError } from '../../domain/errors.ts';
import { didYouMean } from '../../language/gaql/check/suggest.ts';
import { oneLine } from '../../views/text/text-layout.ts';

export interface ReadyQuery {
  readonly name: string;
  /** The question that the query answers. */
  readonly answers: string;
  readonly text: string;
}

/** A fixed list, because users of the repository add their own queries to this folder. */
const SHIPPED = ['campaign.sql', 'campaign_budget.sql', 'campaign_spend.sql', 'keyword_stats.sql'];

export function readyQueries(): readonly ReadyQuery[] {
  const folder = new URL('queries/', packageRoot());
  const library = readdirSync(new URL('library/', folder)).filter((file) => file.endsWith('.sql'));
  const paths = [...SHIPPED, ...library.map((file) => `library/${file}`)];
  return paths
    .map((path) => {
      const text = readFileSync(new URL(path, folder), 'utf8');
      return { name: basename(path, '.sql'), answers: /^-- (.*)/.exec(text)?.[1] ?? '', text };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Throws `InputError` with all unknown names. */
export function queriesNamed(names: readonly string[]): readonly ReadyQuery[] {
  const ready = readyQueries();
  const known = ready.map(({ name }) => name);
  const unknown = names.filter((name) => name !== 'all' && !known.includes(name));
  if (unknown.length > 0) {
    const hints = unknown.map((name) => `${oneLine(name)}: ${didYouMean(name, known) ?? 'no similar name.'}`);
    throw new InputError(
      `Unknown ready-made ${unknown.length === 1 ? 'query' : 'queries'}: ${unknown.map(oneLine).join(', ')}.`,
      {
        nextStep: [...hints, 'For all names, run pacekeeper init --list-queries. Nothing was written.'].join(' '),
      },
    );
  }
  return names.includes('all') ? ready : ready.filter(({ name }) => names.includes(name));
}
