import { describe, expect, it } from 'vitest';
import { addTable, publish, stateFile } from '../published.ts';

const KEYWORDS = `SELECT campaign.id, campaign.name, ad_group.id, ad_group.name, ad_group_criterion.criterion_id,
  ad_group_criterion.keyword.text, metrics.clicks, segments.date FROM keyword_view`;

const keyword = (date: string, campaign: string, adGroup: number, criterion: number, text: string) => ({
  date,
  campaign_id: 7,
  campaign_name: campaign,
  ad_group_id: adGroup,
  ad_group_name: `Group ${adGroup}`,
  ad_group_criterion_criterion_id: criterion,
  ad_group_criterion_keyword_text: text,
  clicks: 1,
});

describe('the dimensions', () => {
  it('have the attributes of the newest day, whatever the order of the ids', async () => {
    const state = await stateFile();
    addTable(state, 'words', KEYWORDS, [
      keyword('2026-11-17', 'Old name', 10, 99, 'boots'),
      keyword('2026-11-19', 'New name', 10, 1, 'shoes'),
      keyword('2026-11-18', 'Middle name', 20, 500, 'tents'),
    ]);
    const { rows } = await publish(state);
    expect(rows('SELECT campaign_id, campaign_name, last_seen FROM dim_campaign')).toEqual([
      { campaign_id: 7, campaign_name: 'New name', last_seen: '2026-11-19' },
    ]);
    expect(rows('SELECT ad_group_id, ad_group_name, last_seen FROM dim_ad_group')).toEqual([
      { ad_group_id: 10, ad_group_name: 'Group 10', last_seen: '2026-11-19' },
      { ad_group_id: 20, ad_group_name: 'Group 20', last_seen: '2026-11-18' },
    ]);
  });

  it('keep keywords with the same id in two ad groups apart', async () => {
    const state = await stateFile();
    addTable(state, 'words', KEYWORDS, [
      keyword('2026-11-18', 'Name', 10, 5, 'boots'),
      keyword('2026-11-19', 'Name', 20, 5, 'shoes'),
    ]);
    const { rows } = await publish(state);
    const columns = 'ad_group_id, ad_group_criterion_criterion_id AS id, ad_group_criterion_keyword_text AS text';
    expect(rows(`SELECT ${columns} FROM dim_keyword`)).toEqual([
      { ad_group_id: 10, id: 5, text: 'boots' },
      { ad_group_id: 20, id: 5, text: 'shoes' },
    ]);
  });

  it('take each attribute from the newest table that selects it, aliases too', async () => {
    const state = await stateFile();
    addTable(state, 'words', KEYWORDS, [keyword('2026-11-19', 'Newer', 10, 5, 'boots')]);
    addTable(
      state,
      'states',
      'SELECT campaign.id, campaign.name AS called, campaign.status, segments.date FROM campaign',
      [
        { campaign_id: 7, called: 'Older', campaign_status: 'PAUSED', date: '2026-11-18' },
        { campaign_id: 8, called: 'Other', campaign_status: 'ENABLED', date: '2026-11-18' },
      ],
    );
    const { rows } = await publish(state);
    expect(rows('SELECT campaign_id, campaign_name, campaign_status, last_seen FROM dim_campaign')).toEqual([
      { campaign_id: 7, campaign_name: 'Newer', campaign_status: 'PAUSED', last_seen: '2026-11-19' },
      { campaign_id: 8, campaign_name: 'Other', campaign_status: 'ENABLED', last_seen: '2026-11-18' },
    ]);
  });

  it('exist and are empty if no query has names', async () => {
    const { rows } = await publish(await stateFile());
    expect(rows('SELECT customer_id, campaign_id, campaign_name FROM dim_campaign')).toEqual([]);
    expect(rows('SELECT * FROM dim_keyword')).toEqual([]);
    expect(rows('SELECT * FROM dim_calendar')).toEqual([]);
  });

  it('leave out criteria that are not keywords', async () => {
    const state = await stateFile();
    const text =
      'SELECT ad_group.id, ad_group_criterion.criterion_id, ad_group_criterion.keyword.text FROM ad_group_criterion';
    addTable(state, 'criteria', text, [
      { ad_group_id: 10, ad_group_criterion_criterion_id: 1, ad_group_criterion_keyword_text: null },
      { ad_group_id: 10, ad_group_criterion_criterion_id: 2, ad_group_criterion_keyword_text: 'boots' },
    ]);
    const { rows } = await publish(state);
    expect(rows('SELECT ad_group_criterion_criterion_id AS id FROM dim_keyword')).toEqual([{ id: 2 }]);
  });
});

describe('the calendar', () => {
  it('has every day from the first to the last one of all tables, including gaps', async () => {
    const state = await stateFile();
    addTable(state, 'words', KEYWORDS, [
      keyword('2025-12-28', 'N', 10, 5, 'boots'),
      keyword('2026-01-04', 'N', 10, 5, 'boots'),
    ]);
    const { rows, raw } = await publish(state);
    expect(raw('SELECT min(date), max(date), count(*) FROM dim_calendar')).toEqual([['2025-12-28', '2026-01-04', 8]]);
    expect(rows("SELECT * FROM dim_calendar WHERE date = '2026-01-01'")).toEqual([
      {
        date: '2026-01-01',
        year: 2026,
        quarter: 1,
        month: 1,
        month_name: 'January',
        month_start: '2026-01-01',
        iso_year: 2026,
        iso_week: 1,
        week_start: '2025-12-29',
        weekday: 4,
        weekday_name: 'Thursday',
        is_weekend: 0,
      },
    ]);
    const sunday =
      "SELECT iso_year, iso_week, week_start, weekday, is_weekend FROM dim_calendar WHERE date = '2025-12-28'";
    expect(raw(sunday)).toEqual([[2025, 52, '2025-12-22', 7, 1]]);
  });
});
