import { describe, expect, it } from 'vitest';
import { didYouMean, nearestNames } from '../../../src/gaql/check/suggest.ts';

describe('names that may be meant', () => {
  it.each([
    ['the nearest comes first', 'ad_groop.id', ['ad_group.ids', 'ad_group.id'], ['ad_group.id', 'ad_group.ids']],
    ['what is clearly farther is left out', 'campaign.nam', ['campaign.id', 'campaign.name'], ['campaign.name']],
    ['the last part alone is enough', 'clicks', ['metrics.clicks', 'metrics.impressions'], ['metrics.clicks']],
    ['case does not count', 'METRICS.CLICKS', ['metrics.clicks'], ['metrics.clicks']],
    ['nothing is suggested when nothing is near', 'zzzzzz', ['campaign.id', 'metrics.clicks'], []],
    ['three at most', 'aa', ['ab', 'ac', 'ad', 'ae'], ['ab', 'ac', 'ad']],
    ['none where there are none', 'clicks', [], []],
  ])('%s', (_, name, candidates, expected) => {
    expect(nearestNames(name, candidates)).toEqual(expected);
  });

  it.each([
    ['one', 'clickz', ['clicks'], 'Did you mean clicks?'],
    ['two', 'ab', ['aa', 'ac'], 'Did you mean aa or ac?'],
    ['three', 'ab', ['aa', 'ac', 'ad'], 'Did you mean aa, ac or ad?'],
    ['none', 'zzzzzz', ['clicks'], undefined],
  ])('%s are asked for in a sentence', (_, name, candidates, sentence) => {
    expect(didYouMean(name, candidates)).toBe(sentence);
  });
});
