import { describe, expect, it } from 'vitest';
import { NEWEST_CATALOGUE } from '../../../src/config/declared/advertising.ts';
import { loadCatalogue, loadDescriptions } from '../../../src/config/load-catalogue.ts';
import {
  isSelectable,
  RENAMED_FIELDS,
  renamedField,
  selectableFields,
} from '../../../src/language/gaql/catalogue/catalogue.ts';
import { runInProcess } from '../run-in-process.ts';

const catalogue = loadCatalogue(NEWEST_CATALOGUE);
const descriptions = loadDescriptions(NEWEST_CATALOGUE);

const show = async (...args: readonly string[]) => (await runInProcess(['fields', ...args], { columns: 80 })).stdout;
const json = async (...args: readonly string[]) => JSON.parse(await show(...args, '--format', 'json'));

describe('pacekeeper fields for one field', () => {
  it('shows all known facts', async () => {
    expect(await show('metrics.cost_micros')).toMatchInlineSnapshot(`
      "metrics.cost_micros
      The sum of your cost-per-click (CPC) and cost-per-thousand impressions (CPM)
        costs during this period.

        Fact       Value
        type       INT64
        role       metric
        operators  =, !=, <, >, <=, >=, BETWEEN, IN, NOT IN, IS NULL, IS NOT NULL
        column     cost_micros (INTEGER), and cost (DECIMAL(18,6)) in units of the
                   currency
        FROM       58 resources: campaign, customer, ad_group, ad_group_ad,
                   keyword_view, targeting_expansion_view, asset_group, video,
                   shopping_performance_view, product_group_view, shopping_product,
                   ad_group_audience_view and 46 more; --format json lists all

      The shipped catalogue does not say if WHERE and ORDER BY accept this field. Run
      pacekeeper catalogue refresh, or pacekeeper check --online to ask the service.
      "
    `);
  });

  it.each(['campaign.status', 'campaign.bidding_strategy_type', 'segments.device', 'asset.type'])(
    'shows all constants of %s',
    async (name) => {
      const values = catalogue.fields.get(name)?.values ?? [];
      const shown = /^ {2}constants {2}(.*?)\n {2}operators/ms.exec(await show(name))?.[1]?.split(/,\s+/);
      expect(values.length).toBeGreaterThan(2);
      expect(shown).toEqual(values);
    },
  );

  it.each([
    ['a list', 'campaign.labels', /^ {2}type {7}list of RESOURCE_NAME$/m],
    ['the operators of a list', 'campaign.labels', /CONTAINS ANY, CONTAINS ALL, CONTAINS NONE/],
    ['a message', 'ad.demand_gen_product_ad.headline', /^ {2}operators {2}none: select only, no filter or sort$/m],
    ['a segment', 'segments.date', /^ {2}role {7}segment; selecting it splits the rows/m],
    ['an attribute that splits rows', 'campaign.id', /^ {2}splits {5}the rows of video, .*\d+ more$/ms],
    [
      'a field that is also a message',
      'campaign_criterion.location_group',
      /contains {3}campaign_criterion\.location_/,
    ],
    ['few resources', 'change_event.user_email', /^ {2}FROM {7}change_event$/m],
    ['capitals', 'Campaign.STATUS', /^campaign\.status\n/],
  ])('shows %s: %s', async (_, name, expected) => {
    expect(await show(name)).toMatch(expected);
  });

  it.each(RENAMED_FIELDS)('shows the current name for the former name %s', async (former) => {
    const renamed = renamedField(former);
    const text = await show(former);
    expect(text).toContain(`${renamed?.name}\nBefore ${renamed?.since}, the name was ${former}.\n`);
    expect(await show(renamed?.name ?? '')).toBe(text);
    expect(await json(former)).toMatchObject({ field: { name: renamed?.name, former_name: former } });
  });
});

/** The shipped catalogue does not know these. */
const UNKNOWN_FACTS = { selectable: null, filterable: null, sortable: null };

describe('pacekeeper fields --format json', () => {
  it('has every resource, with counts that add up to all selectable fields', async () => {
    const { catalogue: name, resources } = await json();
    expect(name).toBe(NEWEST_CATALOGUE);
    expect(resources).toHaveLength(catalogue.resources.size);
    for (const { name: resource, attributes, segments, metrics, description } of resources) {
      const known = catalogue.resources.get(resource);
      expect(description).toBe(descriptions.resources[resource]);
      expect(attributes + segments + metrics).toBe(known && selectableFields(catalogue, known).length);
    }
  });

  it('has a resource with its key and all its fields from the catalogue', async () => {
    const resource = await json('keyword_view');
    const known = catalogue.resources.get('keyword_view');
    expect(resource).toMatchObject({ resource: 'keyword_view', key: known?.key, attributed: known?.attributed });
    const expected = known ? selectableFields(catalogue, known) : [];
    expect(resource.fields).toHaveLength(expected.length);
    for (const field of expected) {
      const { name, type, repeated, role, values } = field;
      expect(resource.fields).toContainEqual({
        name,
        type,
        repeated,
        role,
        values,
        description: descriptions.fields[name],
        column: expect.stringMatching(/^\w+$/),
        operators: expect.any(Array),
        ...UNKNOWN_FACTS,
      });
    }
  });

  it('has a field with its resources, and those whose rows it splits', async () => {
    const field = catalogue.fields.get('campaign.status');
    const from = [...catalogue.resources.values()].filter((resource) => field && isSelectable(resource, field));
    expect((await json('campaign.status')).field).toEqual({
      ...field,
      description: 'The status of the campaign.',
      column: 'campaign_status',
      operators: ['=', '!=', 'IN', 'NOT IN', 'IS NULL', 'IS NOT NULL'],
      ...UNKNOWN_FACTS,
      selectable_with: null,
      former_name: null,
      from: from.map(({ name }) => name),
      splits_rows_of: from.flatMap(({ name, segmentedBy }) => (segmentedBy.includes('campaign') ? [name] : [])),
    });
  });

  it('has a group under its name', async () => {
    const { group, fields } = await json('segments');
    expect(group).toBe('segments');
    expect(fields.map(({ name }: { name: string }) => name)).toContain('segments.date');
  });
});
