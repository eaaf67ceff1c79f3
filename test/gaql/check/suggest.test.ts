import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { type CatalogueResource, isSelectable } from '../../../src/language/gaql/catalogue/catalogue.ts';
import { didYouMean, nearestNames } from '../../../src/language/gaql/check/suggest.ts';

describe('name suggestions', () => {
  it.each([
    ['the nearest comes first', 'ad_groop.id', ['ad_group.ids', 'ad_group.id'], ['ad_group.id', 'ad_group.ids']],
    ['much less similar names are omitted', 'campaign.nam', ['campaign.id', 'campaign.name'], ['campaign.name']],
    ['the last part alone is enough', 'clicks', ['metrics.clicks', 'metrics.impressions'], ['metrics.clicks']],
    ['case does not count', 'METRICS.CLICKS', ['metrics.clicks'], ['metrics.clicks']],
    ['nothing is suggested when nothing is near', 'zzzzzz', ['campaign.id', 'metrics.clicks'], []],
    ['at most three names', 'aa', ['ab', 'ac', 'ad', 'ae'], ['ab', 'ac', 'ad']],
    ['nothing without candidates', 'clicks', [], []],
  ])('%s', (_, name, candidates, expected) => {
    expect(nearestNames(name, candidates)).toEqual(expected);
  });

  it.each([
    ['one', 'clickz', ['clicks'], 'Did you mean clicks?'],
    ['two', 'ab', ['aa', 'ac'], 'Did you mean aa or ac?'],
    ['three', 'ab', ['aa', 'ac', 'ad'], 'Did you mean aa, ac or ad?'],
    ['none', 'zzzzzz', ['clicks'], undefined],
  ])('offers %s in a sentence', (_, name, candidates, sentence) => {
    expect(didYouMean(name, candidates)).toBe(sentence);
  });
});

describe('typical first guesses', () => {
  const { fields, resources } = loadCatalogue('v25');
  const campaign = resources.get('campaign') as CatalogueResource;
  const selectable = [...fields.values()].filter((field) => isSelectable(campaign, field)).map(({ name }) => name);

  it.each([
    ['metrics.cost', 'metrics.cost_micros'],
    ['cost', 'metrics.cost_micros'],
    ['campaign_budget.amount', 'campaign_budget.amount_micros'],
    ['budget.amount', 'campaign_budget.amount_micros'],
    ['metrics.cpc', 'metrics.average_cpc'],
    ['campaign.budget', 'campaign.campaign_budget'],
    ['campaign.channel', 'campaign.advertising_channel_type'],
    ['metrics.impression_share', 'metrics.search_impression_share'],
    ['customer.name', 'customer.descriptive_name'],
    ['campaign.label', 'campaign.labels'],
    ['metrics.click', 'metrics.clicks'],
    ['campaign.nam', 'campaign.name'],
  ])('%s means %s', (typed, meant) => {
    expect(nearestNames(typed, selectable)).toContain(meant);
  });

  it.each([
    ['keywords', 'keyword_view'],
    ['search_terms', 'search_term_view'],
    ['campaigns', 'campaign'],
    ['keywords_view', 'keyword_view'],
  ])('FROM %s means %s', (typed, meant) => {
    expect(nearestNames(typed, resources.keys())).toContain(meant);
  });
});
