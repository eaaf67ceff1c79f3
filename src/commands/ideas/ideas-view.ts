import type { KeywordIdea } from '../../services/ads/generate-keyword-ideas.ts';
import { type Column, count, money, text } from '../../storage/columns/column.ts';
import { type Listing, oneList } from '../../views/kit/listing.ts';

export interface ShownIdea extends KeywordIdea {
  readonly currency: string | undefined;
}

const COLUMNS: readonly Column<ShownIdea>[] = [
  text('text', 'The keyword.', 'text', { title: 'Keyword', wraps: true }),
  count('avg_monthly_searches', 'Searches per month.', 'avgMonthlySearches', { title: 'Searches per month' }),
  text('competition', 'LOW, MEDIUM, HIGH.', 'competition', { title: 'Competition' }),
  text('currency', 'The currency of the account.', 'currency'),
];

const ALWAYS = ['lowTopOfPageBidMicros', 'highTopOfPageBidMicros'];

export function ideasListing(ideas: readonly ShownIdea[]): Listing<readonly ShownIdea[]> {
  const names = new Set([...ALWAYS, ...ideas.flatMap(({ micros }) => [...micros.keys()])]);
  return oneList({
    name: 'ideas',
    about:
      'One row per keyword idea. Each further amount in the answer gets its own column. The format `json` prints the unchanged answer of the service.',
    evident: ['currency', 'low_top_of_page_bid_micros', 'high_top_of_page_bid_micros'],
    none: 'The service has no ideas for these keywords.',
    columns: [...COLUMNS, ...Array.from(names, amountColumn)],
  });
}

/** `lowTopOfPageBidMicros` becomes `low_top_of_page_bid_micros`. */
function amountColumn(name: string): Column<ShownIdea> {
  const words = name.replace(/Micros$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return money(`${words.replaceAll(' ', '_')}_micros`, `The ${words}.`, ({ micros }) => micros.get(name), {
    title: `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`,
  });
}
