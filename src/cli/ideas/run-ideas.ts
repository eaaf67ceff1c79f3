import { findKeywordIdeas } from '../../jobs/find-keyword-ideas.ts';
import { requireAds } from '../../jobs/require-ads.ts';
import { toJson } from '../../report/to-json.ts';
import { ideasListing } from '../../views/ideas.ts';
import type { CommandApp } from '../command.ts';
import { EXIT } from '../print-error.ts';
import { listingIn } from '../print-listing.ts';
import type { IdeasOptions } from './ideas-command.ts';

/** The ideas command: 1 when the answer is none that a table can be made of. */
export async function runIdeas(app: CommandApp<'areas'>, options: IdeasOptions): Promise<number> {
  const { log, output, redact } = app;
  const { keywords, customer, format } = options;
  const { answer, ideas, currency } = await app.open(async (areas) => {
    const ads = requireAds(areas, 'there is nobody to ask for ideas');
    const found = await findKeywordIdeas(areas.settings, ads, keywords, customer);
    log.info(`Asked ${areas.target}, account ${found.customerId}.`);
    return found;
  });
  if (format === 'json' || ideas === undefined) {
    if (format !== 'json') log.warn('The answer has not the public fields, so it is shown as it came.');
    output.stdout.write(`${redact(toJson(answer))}\n`);
    // Rows were asked for, and there are none.
    return format === 'csv' || format === 'ndjson' ? EXIT.failed : EXIT.done;
  }
  const shown = ideas.map((idea) => ({ ...idea, currency }));
  output.stdout.write(listingIn(format, ideasListing(shown), shown, output));
  return EXIT.done;
}
