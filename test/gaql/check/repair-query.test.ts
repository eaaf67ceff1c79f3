import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { SPECIFICATION_CATALOGUE } from '../../../src/language/gaql/catalogue/specification-catalogue.ts';
import { repairQuery } from '../../../src/language/gaql/check/repair-query.ts';

const catalogue = loadCatalogue('v25');
const TODAY = 'WHERE segments.date DURING TODAY';

describe('a repair', () => {
  it.each([
    ['removes a comma before FROM', 'SELECT a.b, FROM a', 'SELECT a.b FROM a'],
    ['removes several', 'SELECT a.b,, /* c */ , FROM a', 'SELECT a.b /* c */  FROM a'],
    [
      'completes a name of micros',
      'SELECT metrics.cost_micros AS cost FROM a',
      'SELECT metrics.cost_micros AS cost_micros FROM a',
    ],
    [
      'renames a field and keeps its column',
      `SELECT metrics.video_views FROM campaign ${TODAY}`,
      `SELECT metrics.video_trueview_views AS video_views FROM campaign ${TODAY}`,
    ],
    [
      'renames a field with a column name of its own',
      `SELECT metrics.average_cpv AS cpv FROM campaign ${TODAY}`,
      `SELECT metrics.trueview_average_cpv AS cpv FROM campaign ${TODAY}`,
    ],
    [
      'renames in WHERE and ORDER BY',
      `SELECT a.b FROM a ${TODAY} AND metrics.video_views > 5 ORDER BY metrics.video_views`,
      `SELECT a.b FROM a ${TODAY} AND metrics.video_trueview_views > 5 ORDER BY metrics.video_trueview_views`,
    ],
  ])('%s', (_, source, repaired) => {
    expect(repairQuery(source, catalogue).source).toBe(repaired);
    expect(repairQuery(repaired, catalogue)).toEqual({ source: repaired, repairs: [] });
  });

  it.each([
    ['a field whose values changed', 'SELECT campaign.start_date FROM campaign'],
    ['a field that was removed', 'SELECT metrics.average_position FROM campaign'],
    ['a name of micros that is taken', 'SELECT metrics.cost_micros AS cost, a.b AS cost_micros FROM a'],
    ['a renamed field beside its new name', 'SELECT metrics.video_views, metrics.video_trueview_views FROM a'],
    ['a text with other syntax errors', 'SELECT metrics.cost_micros AS cost, a.b, FROM a WHERE'],
    ['commas and names in texts and comments', "SELECT a.b FROM a WHERE a.b = ', FROM' -- metrics.video_views, FROM"],
  ])('leaves %s', (_, source) => {
    expect(repairQuery(source, catalogue)).toEqual({ source, repairs: [] });
  });

  it('leaves names that the catalogue does not have', () => {
    const source = `SELECT metrics.video_views FROM keyword_view ${TODAY}`;
    expect(repairQuery(source, SPECIFICATION_CATALOGUE).repairs).toEqual([]);
  });

  it('names each change with its line', () => {
    const source = 'SELECT\n  metrics.cost_micros AS cost,\n  metrics.video_views,\nFROM campaign';
    expect(repairQuery(source, catalogue).repairs).toEqual([
      { line: 2, what: 'cost is now cost_micros' },
      { line: 3, what: 'the comma before FROM is gone' },
      { line: 3, what: 'metrics.video_views is now metrics.video_trueview_views AS video_views' },
    ]);
  });
});
