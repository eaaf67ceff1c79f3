import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { byId, excludeAccounts, findWays, readAllTrees } from '../../engine/accounts/account-trees.ts';
import { requireAds } from '../../engine/accounts/find-accounts.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import {
  generateKeywordIdeas,
  type KeywordIdea,
  type KeywordIdeas,
} from '../../services/ads/generate-keyword-ideas.ts';
import { type Column, count, money, text } from '../../storage/columns/column.ts';
import { type Listing, oneList } from '../../views/kit/listing.ts';
import { toJson } from '../../views/text/to-json.ts';
import type { CommandApp } from '../cli/command.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { IdeasOptions } from './ideas-command.ts';

/** Returns 1 if the answer cannot be converted to rows. */
export async function runIdeas(app: CommandApp<'areas'>, options: IdeasOptions): Promise<number> {
  const { log, output, redact } = app;
  const { keywords, customer, format } = options;
  const { answer, ideas, currency } = await app.open(async (areas) => {
    const ads = requireAds(areas, 'no ideas can be requested');
    const found = await findKeywordIdeas(areas.settings, ads, keywords, customer);
    log.info(`Asking ${areas.target}, account ${found.customerId}.`);
    return found;
  });
  if (format === 'json' || ideas === undefined) {
    if (format !== 'json') log.warn('The answer lacks the documented fields, so it is shown unchanged.');
    output.stdout.write(`${redact(toJson(answer))}\n`);
    return format === 'table' || format === 'json' ? EXIT.done : EXIT.failed;
  }
  const shown = ideas.map((idea) => ({ ...idea, currency }));
  output.stdout.write(listingIn(format, ideasListing(shown), shown, output));
  return EXIT.done;
}

export interface FoundIdeas extends KeywordIdeas {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
}

/** Throws `InputError` for a missing account or an empty keyword, `ApiError` if the service fails. */
async function findKeywordIdeas(
  settings: Settings,
  ads: AdsConnection,
  keywords: readonly string[],
  named: CustomerId | undefined,
): Promise<FoundIdeas> {
  if (keywords.some((keyword) => keyword.trim() === '')) {
    throw new InputError('Invalid keyword: found an empty text, expected words.', {
      nextStep: 'Put a keyword of several words in quotes: pacekeeper ideas "running shoes" sneakers.',
    });
  }
  const { customerId, currency } = await chooseAccount(settings, ads, named);
  return { customerId, currency, ...(await generateKeywordIdeas(ads, customerId, keywords)) };
}

async function chooseAccount(
  settings: Settings,
  ads: AdsConnection,
  named: CustomerId | undefined,
): Promise<Pick<FoundIdeas, 'customerId' | 'currency'>> {
  const isDirect = (roots: readonly CustomerId[]) => named !== undefined && roots.includes(named);
  const { trees } = await readAllTrees(settings, ads, (roots) => (named && isDirect(roots) ? [named] : roots));
  const ways = [...findWays(ads, trees).values()].sort((one, other) => byId(one.client, other.client));
  const excluded = named === undefined ? await excludeAccounts(ads, settings.ads.excludeCustomerIds, trees) : new Set();
  const way = ways.find(({ client: { customerId, status = 'ENABLED' } }) =>
    named === undefined ? status === 'ENABLED' && !excluded.has(customerId) : customerId === named,
  );
  const customerId = way?.client.customerId ?? named;
  if (customerId === undefined) {
    throw new InputError('No active account found. Managers and excluded accounts do not count.', {
      nextStep: 'Name one with --customer. Run pacekeeper accounts to list all accounts.',
    });
  }
  if (way) ads.logins.set(customerId, way.login);
  return { customerId, currency: way?.client.currency ?? settings.accounts.get(customerId)?.currency };
}

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
