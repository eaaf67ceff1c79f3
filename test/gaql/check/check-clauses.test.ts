import { describe, expect, it } from 'vitest';
import { check, marked, messagesOf, placesOf } from '../findings.ts';

const UNSELECTED = 'EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE';
const S = 'SELECT campaign.id FROM campaign';

describe('what is filtered on has to be selected', () => {
  it.each([
    ['when it is a segment', 'SELECT campaign.id FROM campaign WHERE «segments.device» = MOBILE'],
    ['when it is a segment tested for null', 'SELECT campaign.id FROM campaign WHERE «segments.device» IS NOT NULL'],
    [
      'when it is a part of a date that is no core date',
      'SELECT campaign.id FROM campaign WHERE «segments.month_of_year» = MAY',
    ],
    [
      'when its resource splits the clicks',
      'SELECT click_view.gclid, segments.date FROM click_view WHERE segments.date DURING TODAY AND «campaign.id» = 5',
    ],
    [
      'when its resource splits the budgets',
      "SELECT campaign_budget.id FROM campaign_budget WHERE «campaign.name» LIKE 'a%'",
    ],
    [
      'when another field of its resource is selected, too',
      "SELECT campaign_budget.id, campaign.id FROM campaign_budget WHERE «campaign.name» = 'a'",
    ],
  ])('%s', (_, text) => {
    const { source, places } = marked(text, UNSELECTED);
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    ['a segment that is', 'SELECT campaign.id, segments.device FROM campaign WHERE segments.device = MOBILE'],
    ['a day', 'SELECT campaign.id FROM campaign WHERE segments.date DURING TODAY'],
    ['a week', "SELECT campaign.id FROM campaign WHERE segments.week = '2026-01-05'"],
    ['a month', "SELECT campaign.id FROM campaign WHERE segments.month = '2026-01-01'"],
    ['a quarter', "SELECT campaign.id FROM campaign WHERE segments.quarter = '2026-01-01'"],
    ['a year', 'SELECT campaign.id FROM campaign WHERE segments.year = 2026'],
    ['an attribute of the resource', "SELECT campaign.id FROM campaign WHERE campaign.name = 'x'"],
    [
      'an attribute of an attributed resource',
      'SELECT campaign.id FROM campaign WHERE campaign_budget.amount_micros > 5',
    ],
    ['a metric', 'SELECT campaign.id FROM campaign WHERE metrics.clicks > 0'],
    [
      'a splitting attribute that is',
      'SELECT campaign_budget.id, campaign.id FROM campaign_budget WHERE campaign.id = 5',
    ],
  ])('but not %s', (_, source) => {
    expect(placesOf(source)).toEqual([]);
  });

  it('is told with what it is and what to do', () => {
    expect([
      ...messagesOf(`${S} WHERE segments.device = MOBILE`),
      ...messagesOf('SELECT campaign_budget.id FROM campaign_budget WHERE campaign.id = 5'),
    ]).toEqual([
      '"segments.device" is a segment: it can be filtered on only when it is selected. Add segments.device to SELECT.',
      '"campaign.id" splits the rows of campaign_budget: it can be filtered on only when it is selected. Add campaign.id to SELECT.',
    ]);
  });
});

describe('what is ordered by', () => {
  it.each([
    ['a metric has to be selected', `${S} ORDER BY «metrics.clicks» DESC`, UNSELECTED],
    ['a segment has to be selected', `${S} ORDER BY «segments.device»`, UNSELECTED],
    ['an attributed attribute has to be selected', `${S} ORDER BY «campaign_budget.id»`, UNSELECTED],
    ['an attribute of the main resource should be', `${S} ORDER BY «campaign.name»`, `${UNSELECTED} (warning)`],
    [
      'each of several is judged',
      `${S} ORDER BY campaign.id, «metrics.clicks», «metrics.impressions»`,
      UNSELECTED,
      UNSELECTED,
    ],
    ['resource names always come back', `${S} ORDER BY campaign.resource_name, campaign_budget.resource_name`],
    [
      'what is selected is free',
      'SELECT campaign.id, metrics.clicks FROM campaign ORDER BY metrics.clicks DESC, campaign.id',
    ],
    [
      'a resource whose name only begins the same is not the main one',
      'SELECT ad_group.id FROM ad_group ORDER BY «campaign.name»',
      UNSELECTED,
    ],
  ])('%s', (_, text, ...codes) => {
    const { source, places } = marked(text, ...codes);
    expect(placesOf(source)).toEqual(places);
  });
});

describe('the name of a column', () => {
  const aliased = 'SELECT campaign.id, metrics.clicks AS spent FROM campaign';

  it.each([
    ['is no field of WHERE', `${aliased} WHERE «spent» > 5`, 'WHERE'],
    ['is no field of ORDER BY', `${aliased} ORDER BY «spent» DESC`, 'ORDER BY'],
  ])('%s, and the field is named', (_, text, clause) => {
    const { source, places } = marked(text, 'UNRECOGNIZED_FIELD');
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)).toEqual([
      `"spent" is a column's name in this file; ${clause} takes fields. Write metrics.clicks.`,
    ]);
  });

  it('does not stand in the way of its field', () => {
    expect(placesOf(`${aliased} WHERE metrics.clicks > 5 ORDER BY metrics.clicks`)).toEqual([]);
  });
});

describe('a LIMIT', () => {
  it('is noted, because the table may then be a part', () => {
    const { source, places } = marked(`${S} LIMIT «10»`, 'LIMITED_TABLE (note)');
    expect(placesOf(source)).toEqual(places);
    expect(check(source).query?.limit).toBe(10);
    expect(messagesOf(source)).toEqual([
      'The table holds at most 10 rows per account: it may be a part of what there is. Rules do not read such a table. Take the LIMIT away to have all rows.',
    ]);
  });

  it('is none where there is none', () => {
    expect(check(S).query?.limit).toBeUndefined();
  });
});

describe('request parameters', () => {
  it.each([
    [
      'both may be given, in any case of their values',
      `${S} PARAMETERS include_drafts = true, omit_unselected_resource_names = FALSE`,
    ],
    ['values may stand in quotes', `${S} PARAMETERS include_drafts = 'true'`],
    ['a name that does not exist', `${S} PARAMETERS «validate_only» = true`, 'BAD_PARAMETER_NAME'],
    ['a name twice', `${S} PARAMETERS include_drafts = true, «include_drafts» = true`, 'BAD_PARAMETER_NAME'],
    ['a number for a value', `${S} PARAMETERS include_drafts = «1»`, 'BAD_PARAMETER_VALUE'],
    ['another word for a value', `${S} PARAMETERS include_drafts = «yes»`, 'BAD_PARAMETER_VALUE'],
    ['both at once', `${S} PARAMETERS «drafts» = «2»`, 'BAD_PARAMETER_NAME', 'BAD_PARAMETER_VALUE'],
  ])('%s', (_, text, ...codes) => {
    const { source, places } = marked(text, ...codes);
    expect(placesOf(source)).toEqual(places);
  });

  it('are told with the names there are', () => {
    const texts = [
      'include_draft = true',
      'validate_only = true',
      'include_drafts = true, include_drafts = true',
      'include_drafts = no',
    ];
    expect(texts.flatMap((text) => messagesOf(`${S} PARAMETERS ${text}`))).toEqual([
      'There is no request parameter "include_draft". Did you mean include_drafts?',
      'There is no request parameter "validate_only". There are include_drafts and omit_unselected_resource_names.',
      '"include_drafts" is given twice.',
      'Found "no", expected true or false.',
    ]);
  });
});
