import { type DateRange, daysOf } from '../../domain/civil-date.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import type { Column } from '../../storage/columns/column.ts';
import { mostClicked } from '../../storage/warehouse/publish/campaign-day.ts';
import type { PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { spendOfTexts, TEXT_FIELDS, type TextField } from '../../storage/warehouse/publish/published-selects.ts';
import { columnOfField, hasDays, storedQueries } from '../../storage/warehouse/query-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { line, section } from '../../views/html/parts.ts';
import { counted, countText } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { perMille } from '../../views/report/pace.ts';
import { CLICKS, CONVERSIONS, CPC, SPEND, type Summed } from '../../views/report/sum-columns.ts';
import { exploreLink } from '../explore/explore-link.ts';

const SHOWN_MAX = 5;

const WORDS: Readonly<Record<TextField, readonly [one: string, many: string]>> = {
  'ad_group_criterion.keyword.text': ['keyword', 'keywords'],
  'search_term_view.search_term': ['search term', 'search terms'],
};

interface TextRow extends Summed {
  readonly name: string;
  readonly matchType?: string | undefined;
  readonly share: bigint | undefined;
}

interface Wanted {
  readonly customer: CustomerId;
  readonly campaign: CampaignId;
  readonly range: DateRange;
  readonly currency: string | undefined;
}

/** Keywords and search terms with most spend, and the sum of all. Left out if no query with days has them. */
export async function textsSections(
  app: StateApp,
  file: PublishedData,
  { customer, campaign, range, currency }: Wanted,
  path: string,
): Promise<(Html | undefined)[]> {
  const { db } = app.state;
  const queries = (await storedQueries(db)).filter(hasDays);
  const sections: (Html | undefined)[] = [];
  for (const field of TEXT_FIELDS) {
    const having = queries.filter((one) => columnOfField(one, field) !== undefined);
    const query = await mostClicked(db, having, app.clock.now());
    if (query === undefined) continue;
    const wanted = { query, field, range, customers: [customer], campaigns: [campaign] };
    const found = await file.spendOfTexts(wanted, SHOWN_MAX);
    const sql = spendOfTexts(wanted);
    if (found === undefined || sql === undefined) continue;
    const { top, all, count } = redactTexts(found, app.settings);
    const shareOf = (cost: bigint | undefined) => perMille(cost, all.costMicros);
    const [one, many] = WORDS[field];
    const rows = top.map(
      ({ text, ...sums }): TextRow => ({ ...sums, name: line(text), currency, share: shareOf(sums.costMicros) }),
    );
    const foot = { ...all, name: `All ${counted(count, one, many)}`, currency, share: shareOf(all.costMicros) };
    const more = count - top.length;
    const complete = (await file.completeDays(query.name, [customer], range)).get(customer) ?? [];
    const days = `${complete.length} of ${counted(daysOf(range).length, 'day')} complete`;
    const title = `${one[0]?.toUpperCase()}${many.slice(1)}`;
    const table = sheetOf(columnsOf(one), [...rows, foot], 'people');
    sections.push(
      section(
        title,
        html`${htmlTable(table, {
          caption: `From ${query.name}, most spend first. ${days}`,
          foot: 1,
          path,
        })}<p class="ways">${exploreLink(path, sql, more > 0 ? `${countText(more)} more` : 'SQL')}</p>`,
      ),
    );
  }
  return sections;
}

function columnsOf(one: string): readonly Column<TextRow>[] {
  return [
    onPage.text(`${one[0]?.toUpperCase()}${one.slice(1)}`, 'name', {
      note: ({ matchType }) => matchType?.toLowerCase(),
    }),
    SPEND,
    onPage.share('Share', ({ share }) => (share === undefined ? undefined : Number(share) / 1000)),
    CLICKS,
    CPC,
    CONVERSIONS,
  ];
}
