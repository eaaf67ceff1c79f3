import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { selectableFields } from '../../../src/gaql/catalogue/catalogue.ts';
import { checkColumns } from '../../../src/gaql/check/check-columns.ts';
import type { SelectedField } from '../../../src/gaql/syntax/tree.ts';
import { check, marked, messagesOf, placesOf } from '../findings.ts';

const columnsOf = (source: string) => check(source).query?.columns.map(({ name }) => name);

describe('a column takes the name that the file gives it', () => {
  it.each([
    ['a short one', 'SELECT campaign.id AS c FROM campaign', ['c']],
    ['digits and underscores', 'SELECT campaign.id AS c_1_ FROM campaign', ['c_1_']],
    ['63 letters', `SELECT campaign.id AS ${'c'.repeat(63)} FROM campaign`, ['c'.repeat(63)]],
    ['its own', 'SELECT campaign.id AS campaign_id FROM campaign', ['campaign_id']],
    [
      'that of a field which has another',
      'SELECT campaign.id AS campaign_name, campaign.name AS n FROM campaign',
      ['campaign_name', 'n'],
    ],
    [
      'the day’s, which is always date',
      'SELECT campaign.id, segments.date AS date FROM campaign WHERE segments.date DURING TODAY',
      ['campaign_id', 'date'],
    ],
    [
      'the account’s, which has its own column',
      'SELECT customer.id AS customer_id, campaign.id FROM campaign',
      ['campaign_id'],
    ],
    [
      'another one beside the account’s',
      'SELECT customer.id AS account, campaign.id FROM campaign',
      ['account', 'campaign_id'],
    ],
  ])('%s', (_, source, columns) => {
    expect(placesOf(source)).toEqual([]);
    expect(columnsOf(source)).toEqual(columns);
  });
});

describe('a name that cannot be a column’s', () => {
  const NO_DAY = 'The day is always the column date: tables are replaced and rules evaluated by it.';
  it.each([
    [
      'capitals',
      'SELECT campaign.id AS «Campaign» FROM campaign',
      '"Campaign" cannot be a column\'s name. Use lower-case letters, digits and underscores, a letter first, 63 at most.',
    ],
    ['64 letters', `SELECT campaign.id AS «${'c'.repeat(64)}» FROM campaign`, undefined],
    ['date for another field', 'SELECT campaign.id AS «date» FROM campaign', `${NO_DAY} Choose another name.`],
    [
      'another name for the day',
      'SELECT campaign.id, segments.date AS «day» FROM campaign WHERE segments.date DURING TODAY',
      `${NO_DAY} Take the alias away.`,
    ],
  ])('%s', (_, text, message) => {
    const { source, places } = marked(text, 'BAD_ALIAS');
    expect(placesOf(source)).toEqual(places);
    if (message) expect(messagesOf(source)).toEqual([message]);
  });
});

describe('two columns of one name', () => {
  it.each([
    [
      'an alias that is another field’s column',
      'SELECT campaign.id, campaign.name AS «campaign_id» FROM campaign',
      'campaign_id, which is campaign.id',
    ],
    [
      'a column that is another field’s alias',
      'SELECT campaign.name AS campaign_id, «campaign.id» FROM campaign',
      'campaign_id, which is campaign.name',
    ],
    ['one alias twice', 'SELECT campaign.id AS a, campaign.name AS «a» FROM campaign', 'a, which is campaign.id'],
    ['the account’s column', 'SELECT campaign.id AS «customer_id» FROM campaign', 'customer_id, which is the account'],
    [
      'the published amount after its micros',
      'SELECT campaign.id, metrics.cost_micros, metrics.clicks AS «cost» FROM campaign',
      'cost, which is the amount of metrics.cost_micros in currency units',
    ],
    [
      'micros after the column that their amount would be',
      'SELECT campaign.id, metrics.clicks AS cost, «metrics.cost_micros» FROM campaign',
      'cost, which is metrics.clicks',
    ],
    [
      'micros by alias after such a column',
      'SELECT campaign.id, metrics.cost_micros AS «campaign_id_micros» FROM campaign',
      'campaign_id, which is campaign.id',
    ],
    [
      'an amount that would be the day',
      'SELECT campaign.id, metrics.cost_micros AS «date_micros» FROM campaign',
      'date, which is the day',
    ],
  ])('%s', (_, text, clash) => {
    const { source, places } = marked(text, 'DUPLICATE_COLUMN');
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)[0]).toContain(` would be the column ${clash} already. Give it a name of its own: `);
  });

  it.each([
    ['a column of micros that does not say so', 'SELECT campaign.id, metrics.cost_micros AS «spent» FROM campaign'],
    ['a column that says so and holds none', 'SELECT campaign.id, metrics.clicks AS «clicks_micros» FROM campaign'],
  ])('a rule would be wrong by a factor of a million: %s', (_, text) => {
    const { source, places } = marked(text, 'BAD_ALIAS');
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    ['once more', 'SELECT campaign.id, «campaign.id» FROM campaign'],
    ['under another name', 'SELECT campaign.id, «campaign.id» AS other FROM campaign'],
    ['the account', 'SELECT customer.id, campaign.id, «customer.id» FROM campaign'],
  ])('a field selected twice: %s', (_, text) => {
    const { source, places } = marked(text, 'DUPLICATE_FIELD');
    expect(placesOf(source)).toEqual(places);
  });

  it('do not come of selecting everything that a resource offers', () => {
    const catalogue = loadCatalogue('v25');
    const span = { start: { offset: 0, line: 1, column: 1 }, end: { offset: 0, line: 1, column: 1 } };
    for (const resource of catalogue.resources.values()) {
      const selected = selectableFields(catalogue, resource).map((field) => {
        const ref: SelectedField = { kind: 'field', name: field.name, alias: undefined, span };
        return { ref, field };
      });
      checkColumns(selected, ({ message }) => expect.fail(`${resource.name}: ${message}`));
    }
  });
});
