import { type DateRange, daysOf } from '../../domain/civil-date.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import type { Column } from '../../storage/columns/column.ts';
import { mostClicked } from '../../storage/warehouse/publish/campaign-day.ts';
import type { PublishedData, TextSums } from '../../storage/warehouse/publish/published-data.ts';
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

const TITLES: Readonly<Record<TextField, string>> = {
  'ad_group_criterion.keyword.text': 'Keyword',
  'search_term_view.search_term': 'Search term',
};

interface TextRow extends Summed, Pick<TextSums, 'matchType'> {
  readonly name: string;
  /** In tenths of a percent. */
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
    const { top, all } = redactTexts(found, app.settings);
    const title = TITLES[field];
    const rowOf = (name: string, { costMicros, ...sums }: Omit<TextSums, 'text'>): TextRow => {
      return { ...sums, costMicros, name, currency, share: perMille(costMicros, all.costMicros) };
    };
    const rows = top.map(({ text, ...sums }) => rowOf(line(text), sums));
    const foot = rowOf(`All ${counted(all.count, title.toLowerCase())}`, all);
    const more = Number(all.count) - top.length;
    const complete = (await file.completeDays(query.name, [customer], range)).get(customer) ?? [];
    const days = `${complete.length} of ${counted(daysOf(range).length, 'day')} complete`;
    const table = htmlTable(sheetOf(columnsOf(title), [...rows, foot], 'people'), {
      caption: `From ${query.name}, most spend first. ${days}`,
      foot: 1,
      path,
    });
    const words = more > 0 ? `${countText(more)} more` : 'SQL';
    sections.push(section(`${title}s`, html`${table}<p class="ways">${exploreLink(path, sql, words)}</p>`));
  }
  return sections;
}

function columnsOf(title: string): readonly Column<TextRow>[] {
  return [
    onPage.text(title, 'name', { note: ({ matchType }) => matchType?.toLowerCase() }),
    SPEND,
    onPage.share('Share', ({ share }) => (share === undefined ? undefined : Number(share) / 1000)),
    CLICKS,
    CPC,
    CONVERSIONS,
  ];
}
