import type { KeywordIdea } from '../../apis/ads/generate-keyword-ideas.ts';
import { formatMoney } from '../../domain/micros.ts';
import { LISTING_COLUMNS } from '../../report/listing-columns.ts';
import { oneLine, type TextLayout } from '../../report/text-layout.ts';
import { textTable } from '../../report/text-table.ts';

/** A table; amounts in the account's currency where that is known, and in micros as they came where it is not. */
export function renderIdeas(
  ideas: readonly KeywordIdea[],
  currency: string | undefined,
  { width }: TextLayout,
): string {
  if (ideas.length === 0) return 'The service has no idea for these keywords.\n';
  const names = amountNames(ideas);
  const columns = [
    { title: 'keyword', align: 'left', flexible: true },
    { title: 'searches a month', align: 'right' },
    { title: 'competition', align: 'left' },
    ...names.map((name) => ({ title: titleOf(name, currency), align: 'right' }) as const),
  ] as const;
  const rows = ideas.map(({ text, avgMonthlySearches, competition, micros }) => [
    oneLine(text),
    avgMonthlySearches?.toLocaleString('en-US') ?? '-',
    competition === undefined ? '-' : oneLine(competition),
    ...names.map((name) => shownAmount(micros.get(name), currency)),
  ]);
  return `${textTable(columns, rows, width)}\n`;
}

/** A row an idea; amounts in micros and exact, the account's currency beside them. */
export function ideaRows(ideas: readonly KeywordIdea[], currency: string | undefined): object[] {
  return ideas.map(({ text, avgMonthlySearches, competition, micros }) => ({
    ...{ text, avg_monthly_searches: avgMonthlySearches, competition, currency },
    ...Object.fromEntries([...micros].map(([name, amount]) => [snakeCase(name), amount])),
  }));
}

/** The amounts that the answer has besides those that are always a column. */
export function otherAmounts(ideas: readonly KeywordIdea[]): string[] {
  const known: readonly string[] = LISTING_COLUMNS.ideas;
  return amountNames(ideas)
    .map(snakeCase)
    .filter((name) => !known.includes(name));
}

/** The names of all amounts, in the order in which they first come. */
function amountNames(ideas: readonly KeywordIdea[]): string[] {
  return [...new Set(ideas.flatMap(({ micros }) => [...micros.keys()]))];
}

/** `lowTopOfPageBidMicros` is "low top of page bid". */
function titleOf(name: string, currency: string | undefined): string {
  const words = snakeCase(name).replaceAll('_', ' ');
  return currency === undefined ? words : words.replace(/ micros$/, '');
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function shownAmount(amount: bigint | undefined, currency: string | undefined): string {
  if (amount === undefined) return '-';
  return currency === undefined ? String(amount) : formatMoney(amount, currency);
}
