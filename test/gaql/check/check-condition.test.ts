import { describe, expect, it } from 'vitest';
import { check, placesOf } from '../findings.ts';

const W = 'SELECT campaign.id FROM campaign WHERE';
const places = (condition: string) => placesOf(`${W} ${condition}`);

describe('operators and types', () => {
  it.each([
    ['a number with every comparison', 'campaign.id = 1 AND campaign.id != 1 AND metrics.clicks <= 5'],
    ['a number between two', 'metrics.clicks BETWEEN 1 AND 5'],
    ['a number in quotes', "campaign.id = '12'"],
    ['numbers in a list', "campaign.id IN (1, '2', -3)"],
    ['a constant', 'campaign.status = ENABLED'],
    ['a constant in quotes', 'campaign.status IN (\'ENABLED\', "PAUSED")'],
    ['text', "campaign.name LIKE 'a%' AND campaign.name NOT IN ('b', 'c')"],
    ['a resource name', "campaign.campaign_budget = 'customers/1/campaignBudgets/2'"],
    [
      'true and false in any case',
      "campaign_budget.explicitly_shared = true AND campaign_budget.explicitly_shared != 'FALSE'",
    ],
    ['null tests of anything', 'campaign.status IS NOT NULL AND metrics.clicks IS NULL'],
  ])('B13: %s fit', (_, condition) => {
    expect(places(condition)).toEqual([]);
  });

  it.each([
    ['LIKE on a number', "campaign.id LIKE '5'", ['OPERATOR_FIELD_MISMATCH 1:52-1:56 (warning)']],
    ['an order of constants', 'campaign.status > ENABLED', ['OPERATOR_FIELD_MISMATCH 1:56-1:57 (warning)']],
    ['an order of text', "campaign.name >= 'a'", ['OPERATOR_FIELD_MISMATCH 1:54-1:56 (warning)']],
    ['text between two', "campaign.name BETWEEN 'a' AND 'b'", ['OPERATOR_FIELD_MISMATCH 1:54-1:61 (warning)']],
    ['NOT LIKE on constants', "campaign.status NOT LIKE 'ENABLED'", ['OPERATOR_FIELD_MISMATCH 1:56-1:64 (warning)']],
    [
      'a list of true and false',
      'campaign_budget.explicitly_shared IN (TRUE)',
      ['OPERATOR_FIELD_MISMATCH 1:74-1:76 (warning)'],
    ],
    ['NOT IN on dates', "segments.date NOT IN ('2026-01-01')", ['OPERATOR_FIELD_MISMATCH 1:54-1:60 (warning)']],
    ['DURING on a number', 'campaign.id DURING TODAY', ['OPERATOR_FIELD_MISMATCH 1:52-1:58']],
  ])('%s', (_, condition, expected) => {
    expect(places(condition)).toEqual(expected);
  });

  it.each([
    ['text for a number', "campaign.id = 'x'", ['BAD_NUMBER 1:54-1:57']],
    ['a name for a number', 'campaign.id = ENABLED', ['BAD_NUMBER 1:54-1:61']],
    ['decimals for a whole number', 'campaign.id > 1.5', ['BAD_NUMBER 1:54-1:57']],
    ['a date for a number', 'campaign.id = 2026-01-01', ['BAD_NUMBER 1:54-1:64']],
    ['each wrong number of a list', "campaign.id IN (1, x, 2, 'y')", ['BAD_NUMBER 1:59-1:60', 'BAD_NUMBER 1:65-1:68']],
    ['both wrong ends', 'metrics.clicks BETWEEN a AND b', ['BAD_NUMBER 1:63-1:64', 'BAD_NUMBER 1:69-1:70']],
    ['a misspelt constant', 'campaign.status = ENABELD', ['BAD_ENUM_CONSTANT 1:58-1:65']],
    ['a constant in lower case', 'campaign.status = enabled', ['BAD_ENUM_CONSTANT 1:58-1:65']],
    ["another field's constant", "campaign.status IN (ENABLED, 'SEARCH')", ['BAD_ENUM_CONSTANT 1:69-1:77']],
    ['a number for a constant', 'campaign.status = 2', ['BAD_ENUM_CONSTANT 1:58-1:59']],
    ['a name of every object for a constant', 'campaign.status = toString', ['BAD_ENUM_CONSTANT 1:58-1:66']],
    ['a name for text', 'campaign.name = ENABLED', ['INVALID_STRING_VALUE 1:56-1:63']],
    ['a number for text', "campaign.name IN ('a', 5)", ['INVALID_STRING_VALUE 1:63-1:64']],
    ['a number after LIKE', 'campaign.name LIKE 5', ['INVALID_VALUE_WITH_LIKE_OPERATOR 1:59-1:60']],
    ['a name after NOT LIKE', 'campaign.name NOT LIKE x', ['INVALID_VALUE_WITH_LIKE_OPERATOR 1:63-1:64']],
    ['neither true nor false', 'campaign_budget.explicitly_shared = maybe', ['BAD_VALUE 1:76-1:81']],
  ])('%s', (_, condition, expected) => {
    expect(places(condition)).toEqual(expected);
  });

  it('is told with what was found, what was expected and what to write', () => {
    const conditions = [
      "campaign.id LIKE '5'",
      'campaign.id DURING TODAY',
      "campaign.id = 'x'",
      'campaign.status = ENABELD',
      'campaign.status = NONSENSE_VALUE',
      'campaign.name = ENABLED',
      'campaign_budget.explicitly_shared = maybe',
    ];
    const messages = conditions
      .flatMap((condition) => check(`${W} ${condition}`).diagnostics)
      .map(({ message, hint }) => (hint ? `${message} ${hint}` : message));
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "LIKE is not documented for campaign.id, an INT64 field. Operators for it are =, !=, <, >, <=, >=, BETWEEN, IN, NOT IN, IS NULL, IS NOT NULL.
      DURING needs a date, and campaign.id is an INT64 field. Operators for it are =, !=, <, >, <=, >=, BETWEEN, IN, NOT IN, IS NULL, IS NOT NULL.
      Found 'x', expected a whole number for campaign.id.
      "ENABELD" is not a constant of campaign.status. Did you mean ENABLED?
      "NONSENSE_VALUE" is not a constant of campaign.status. Constants are ENABLED, PAUSED, REMOVED.
      Found ENABLED, expected text for campaign.name. Put it in quotes: 'ENABLED'.
      Found maybe, expected TRUE or FALSE for campaign_budget.explicitly_shared."
    `);
  });
});
