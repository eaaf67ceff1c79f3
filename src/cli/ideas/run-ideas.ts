import type { CustomerId } from '../../domain/ids.ts';
import { findKeywordIdeas } from '../../jobs/find-keyword-ideas.ts';
import { requireAds } from '../../jobs/require-ads.ts';
import { toJson } from '../../report/to-json.ts';
import { askService } from '../ask-service.ts';
import type { CommonOptions } from '../common-options.ts';
import { EXIT } from '../print-error.ts';
import { type ListingFormat, printListing } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { ideaRows, otherAmounts, renderIdeas } from './render-ideas.ts';

export interface IdeasCommandOptions extends CommonOptions {
  readonly customer?: CustomerId;
  readonly format: ListingFormat;
}

/** The ideas command. Answers with the exit code: 1 when the answer is none that a table can be made of. */
export async function runIdeas(
  keywords: readonly string[],
  options: IdeasCommandOptions,
  process: Process,
): Promise<number> {
  return askService(
    options,
    process,
    async (areas, { log }) => {
      const ads = requireAds(areas, 'there is nobody to ask for ideas');
      const { answer, ideas, currency, customerId } = await findKeywordIdeas(
        areas.settings,
        ads,
        keywords,
        options.customer,
      );
      log.info(`Asked ${areas.target}, account ${customerId}.`);
      const { stdout } = process.output;
      if (options.format === 'json' || ideas === undefined) {
        if (options.format !== 'json') log.warn('The answer has not the public fields, so it is shown as it came.');
        stdout.write(`${ads.redact(toJson(answer))}\n`);
        // Rows were asked for, and there are none.
        return options.format === 'csv' || options.format === 'ndjson' ? EXIT.failed : EXIT.done;
      }
      printListing(process.output, options.format, 'ideas', {
        table: (layout) => renderIdeas(ideas, currency, layout),
        json: () => toJson(answer),
        rows: () => ideaRows(ideas, currency),
        moreColumns: otherAmounts(ideas),
      });
      return EXIT.done;
    },
    true,
  );
}
