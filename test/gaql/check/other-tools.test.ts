import { describe, expect, it } from 'vitest';
import { check, marked, messagesOf, placesOf, sent } from '../findings.ts';

const S = 'SELECT campaign.id FROM campaign';

describe('mistakes that other tools accept', () => {
  it.each([
    [
      'a period that does not exist',
      `${S} WHERE segments.date DURING «LAST_8_DAYS»`,
      'INVALID_VALUE_WITH_DURING_OPERATOR',
      'LAST_7_DAYS',
    ],
    [
      'an unknown field of WHERE',
      `${S} WHERE «campaign.nmae» = 'x'`,
      'UNRECOGNIZED_FIELD',
      'Did you mean campaign.name?',
    ],
    ['an operator that does not exist', `${S} WHERE campaign.name «LIKEE» 'x'`, 'BAD_OPERATOR', 'LIKE'],
    ['a wrong constant', `${S} WHERE campaign.status = «ENABELD»`, 'BAD_ENUM_CONSTANT', 'Did you mean ENABLED?'],
    [
      'a constant in lower case',
      `${S} WHERE campaign.status = «'enabled'»`,
      'BAD_ENUM_CONSTANT',
      'Did you mean ENABLED?',
    ],
    [
      'an empty list',
      `${S} WHERE campaign.id IN «()»`,
      'PROHIBITED_EMPTY_LIST_IN_CONDITION',
      'The list after IN is empty. Add a value',
    ],
    [
      'an ordering by an unknown metric',
      `${S} ORDER BY «metrics.clickz»`,
      'UNRECOGNIZED_FIELD',
      'Did you mean metrics.clicks?',
    ],
    [
      'a whole message in SELECT',
      'SELECT ad_group.id, ad_group_criterion.criterion_id, «ad_group_criterion.keyword» FROM keyword_view',
      'PROHIBITED_FIELD_IN_SELECT_CLAUSE',
      'ad_group_criterion.keyword.text',
    ],
    [
      'a whole resource in SELECT',
      'SELECT campaign.id, «campaign» FROM campaign',
      'PROHIBITED_FIELD_IN_SELECT_CLAUSE',
      'campaign.name',
    ],
    [
      'a resource that does not belong to FROM',
      'SELECT campaign.id, «ad_group.id» FROM campaign',
      'PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE',
      'Select it FROM ad_group.',
    ],
    ['a missing comma', 'SELECT campaign.id «campaign.name» FROM campaign', 'UNEXPECTED_INPUT', 'comma'],
    [
      'a day that does not exist',
      `${S} WHERE segments.date = «'2026-02-30'»`,
      'INVALID_DATE_FORMAT',
      'The day 2026-02-30 does not exist.',
    ],
    [
      'an open range of a selected date',
      "SELECT campaign.id, segments.date FROM campaign WHERE «segments.date» >= '2026-01-01'",
      'EXPECTED_FILTERS_ON_DATE_RANGE',
      'needs a first and a last day',
    ],
    [
      'a segment in WHERE only',
      `${S} WHERE «segments.device» = MOBILE`,
      'EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE',
      'Add segments.device to SELECT.',
    ],
    ['text for a number', `${S} WHERE metrics.clicks > «'many'»`, 'BAD_NUMBER', 'a whole number'],
    [
      'rows without a key',
      '«SELECT» ad_group_criterion.criterion_id, metrics.clicks FROM keyword_view WHERE segments.date DURING TODAY',
      'MISSING_ROW_KEY (warning)',
      'Add ad_group.id to SELECT.',
    ],
  ])('%s', (_, text, code, told) => {
    const { source, places } = marked(text, code);
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source).join(' ')).toContain(told);
  });

  it('several mistakes at once, each in its place', () => {
    expect(check(`${S} WHERE campaign.name LIKEE 5 AND AND`).query).toBeUndefined();
    expect(placesOf(`${S} WHERE campaign.name LIKEE 5 AND AND`).length).toBeGreaterThan(1);
  });
});

describe('valid texts that other tools refuse or cut', () => {
  it.each([
    ['a text with FROM in it', "'a FROM b'"],
    ['a text with LIMIT in it', "'a LIMIT 5 b'"],
    ['a text with a semicolon', "'a;b'"],
    ['a text with braces', "'a{x}b'"],
    ['a text with a number sign', "'PLA #1 - brand'"],
    ['an address', "'https://x'"],
    ['a text with dashes', "'a -- b'"],
    ['a text with a colon', "':today'"],
  ])('sends %s unchanged', (_, text) => {
    expect(sent(`${S} WHERE campaign.name = ${text}`)).toBe(`${S} WHERE campaign.name = ${text}`);
  });
});
