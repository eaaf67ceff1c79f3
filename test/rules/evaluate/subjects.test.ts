import { describe, expect, it } from 'vitest';
import type { CampaignStatus } from '../../../src/domain/campaign-status.ts';
import { formatRational } from '../../../src/domain/rational.ts';
import { accountOf, budgetOf, row, type TableRow, verdictOf, verdictsOf } from '../evaluated.ts';
import type { RuleText } from '../rule-fixtures.ts';

const KEYWORDS: RuleText = { from: 'keyword_stats', change: undefined, alert: "{ severity: info, text: 'x' }" };

describe('subjects', () => {
  it('are campaigns with their names and budgets', () => {
    const [first, second] = verdictsOf({}, [row(), row({ campaign_id: 2n, campaign_name: null })]);
    expect(first?.subject).toMatchObject({
      kind: 'campaign',
      campaignId: '1',
      budgetId: '71',
      label: 'Shoes (campaign 1)',
    });
    expect(second?.subject).toMatchObject({ campaignId: '2', budgetId: undefined, label: 'campaign 2' });
  });

  it('are selected by attributes; unknown attributes do not match', () => {
    const rows = [
      row(),
      row({ campaign_id: 2n, campaign_name: 'Test 1' }),
      row({ campaign_id: 3n, campaign_name: null }),
    ];
    const found = verdictsOf({ where: "campaign_name NOT LIKE 'Test%'" }, rows);
    expect(found.map(({ subject }) => subject.campaignId)).toEqual(['1']);
  });

  it('are ad groups and keywords with their names', () => {
    const rows = [
      row({
        ad_group_id: 5n,
        ad_group_name: 'Hiking',
        ad_group_criterion_criterion_id: 9n,
        ad_group_criterion_keyword_text: 'boots',
      }),
    ];
    const subjectFor = (kind: string) => verdictOf({ ...KEYWORDS, for: kind, when: 'clicks > 1' }, rows).subject;
    expect(subjectFor('ad_group')).toMatchObject({ adGroupId: 5n, campaignId: '1', label: 'Hiking (ad group 5)' });
    expect(subjectFor('keyword')).toMatchObject({ criterionId: 9n, label: 'boots (keyword 9 of ad group 5)' });
  });
});

describe('budgets', () => {
  const shared = accountOf({ 1: budgetOf(71, '20'), 2: budgetOf(71, '20'), 3: budgetOf(72, '30') });
  const rows = [
    row({ clicks: 10n, cost_micros: 1_000_000n }),
    row({ campaign_id: 2n, campaign_name: 'Boots', clicks: 5n, cost_micros: 2_000_000n }),
    row({ campaign_id: 3n, campaign_name: 'Hats', clicks: 1n }),
    row({ campaign_id: 4n, campaign_name: 'Of no known budget' }),
  ];

  it('have the sums of their campaigns', () => {
    const found = verdictsOf({ for: 'budget', when: 'clicks = 15 AND cost = 3 AND budget = 20' }, rows, shared);
    expect(found.map(({ subject, truth }) => [subject.label, truth])).toEqual([
      ['budget 71 (2 campaigns)', 'true'],
      ['budget 72 (Hats (campaign 3))', 'false'],
    ]);
  });

  it('take part only if "where" selects each campaign with rows', () => {
    const found = (held: readonly TableRow[]) =>
      verdictsOf({ for: 'budget', where: "campaign_name != 'Boots'", when: 'clicks >= 0' }, held, shared).map(
        ({ subject }) => subject.budgetId,
      );
    expect(found(rows)).toEqual(['72']);
    expect(found(rows.filter((one) => one.campaign_name !== 'Boots'))).toEqual(['71', '72']);
  });

  it('have no attribute that differs between their campaigns', () => {
    const at = (status: string) =>
      verdictsOf(
        { for: 'budget', when: "campaign_status = 'ENABLED'" },
        [row(), row({ campaign_id: 2n, campaign_status: status })],
        shared,
      )[0]?.truth;
    expect([at('ENABLED'), at('PAUSED')]).toEqual(['true', 'unknown']);
  });

  it('have the mean over days, not over campaigns', () => {
    const days = [
      row(),
      row({ ago: 8, clicks: 1n }),
      row({ ago: 8, campaign_id: 2n, clicks: 2n }),
      row({ ago: 15, clicks: 3n }),
    ];
    expect(verdictOf({ for: 'budget', when: 'mean(clicks) same weekday over 2 weeks = 3' }, days, shared).truth).toBe(
      'true',
    );
  });
});

describe('accounts', () => {
  const account = accountOf({ 1: budgetOf(71, '20'), 2: budgetOf(71, '20'), 3: budgetOf(72, '30') });
  const rows = [
    row({ clicks: 10n }),
    row({ campaign_id: 2n, campaign_name: 'Boots', clicks: 5n }),
    row({ campaign_id: 3n, clicks: 1n }),
  ];

  it('have the sums of their campaigns and of their budgets, each once', () => {
    const verdict = verdictOf({ for: 'account', when: 'clicks = 16 AND budget = 50' }, rows, account);
    expect([verdict.truth, verdict.subject.label]).toEqual(['true', 'account 1234567890']);
    expect(verdict.requests().map(({ budgetId, target }) => [budgetId, target && formatRational(target, 0)])).toEqual([
      ['71', '18000000'],
      ['72', '27000000'],
    ]);
  });

  it('skip budgets shared with campaigns that are not selected', () => {
    const text = { for: 'account', where: "campaign_name != 'Boots'", when: 'clicks = 11' };
    expect(
      verdictOf(text, rows, account)
        .requests()
        .map(({ budgetId }) => budgetId),
    ).toEqual(['72']);
  });

  it('have an unknown budget if the budget of a campaign is unknown', () => {
    const verdict = verdictOf({ for: 'account', when: 'budget > 0' }, [...rows, row({ campaign_id: 4n })], account);
    expect(verdict.truth).toBe('unknown');
  });

  it('have a verdict when nothing has rows', () => {
    const verdict = verdictOf({ for: 'account', when: 'coalesce(clicks, 0) = 0' }, [], account);
    expect([verdict.truth, verdict.requests()]).toEqual(['true', []]);
  });
});

describe('campaigns that do not run', () => {
  const stopped = (id: number, campaignStatus: CampaignStatus) => ({ ...budgetOf(id, '20'), campaignStatus });
  const account = accountOf({ 1: stopped(71, 'ENABLED'), 2: stopped(71, 'REMOVED'), 3: stopped(72, 'PAUSED') });
  const rows = [
    row({ clicks: 10n }),
    row({ campaign_id: 2n, campaign_name: 'Boots', clicks: 5n }),
    row({ campaign_id: 3n, campaign_name: 'Hats', clicks: 1n }),
  ];
  const BOOTS = { label: 'Boots (campaign 2)', status: 'REMOVED' };
  const HATS = { label: 'Hats (campaign 3)', status: 'PAUSED' };
  const requested = (text: RuleText, of = account, held = rows) =>
    verdictsOf(text, held, of)
      .flatMap((verdict) => verdict.requests())
      .map(({ budgetId, stopped: names }) => [budgetId, names]);

  it('have requests that name them', () => {
    expect(requested({ when: 'clicks > 0' })).toEqual([
      ['71', undefined],
      ['71', [BOOTS]],
      ['72', [HATS]],
    ]);
  });

  it('do not count in the sums of a shared budget, and are named', () => {
    const [first] = verdictsOf({ for: 'budget', when: 'clicks = 10' }, rows, account);
    expect([first?.truth, first?.subject.label]).toEqual(['true', 'budget 71 (Shoes (campaign 1))']);
    expect(first?.explain()).toBe('clicks (10) = 10, 2026-11-13 to 2026-11-19; without Boots (campaign 2) (removed)');
  });

  it('decide alone if no running campaign has rows, and the request names them', () => {
    expect(requested({ for: 'budget', when: 'clicks > 0' }, account, rows.slice(1))).toEqual([
      ['71', [BOOTS]],
      ['72', [HATS]],
    ]);
  });

  it('do not exclude their budget if they do not match "where"', () => {
    const chosen = (text: RuleText) =>
      verdictsOf({ for: 'budget', when: 'clicks > 0', where: "campaign_name = 'Shoes'", ...text }, rows, account)
        .length;
    expect([chosen({}), chosen({ change: undefined, alert: "{ text: 'x' }" })]).toEqual([1, 0]);
  });

  it('do not count in the sums of an account, and their own budgets stay unchanged', () => {
    const [verdict] = verdictsOf({ for: 'account', when: 'clicks = 10 AND budget = 20' }, rows, account);
    expect(verdict?.truth).toBe('true');
    expect(requested({ for: 'account', when: 'clicks = 10' })).toEqual([
      ['71', undefined],
      ['72', [HATS]],
    ]);
  });

  it('count if they are paused and the rule includes them', () => {
    const text = { for: 'account', when: 'clicks = 11 AND budget = 40', include_paused: 'true' };
    expect(requested(text)).toEqual([
      ['71', undefined],
      ['72', [HATS]],
    ]);
    expect(verdictOf(text, rows, account).explain()).toMatch(/; without Boots \(campaign 2\) \(removed\)$/);
  });

  it.each(['campaign', 'budget', 'account'])('are seen by rules for each %s that only alert', (kind) => {
    const alerts = { for: kind, change: undefined, alert: "{ text: '{clicks}' }", when: 'clicks > 0' };
    const texts = verdictsOf(alerts, rows, account).map((verdict) => verdict.alertText());
    expect(texts).toEqual({ campaign: ['10', '5', '1'], budget: ['15', '1'], account: ['16'] }[kind]);
  });

  it('count if their status is unknown', () => {
    const unknown = accountOf({ 1: budgetOf(71, '20'), 2: budgetOf(71, '20'), 3: budgetOf(72, '30') });
    expect(requested({ for: 'budget', when: 'clicks > 0' }, unknown)).toEqual([
      ['71', undefined],
      ['72', undefined],
    ]);
    expect(verdictsOf({ for: 'budget', when: 'clicks = 15' }, rows, unknown)[0]?.truth).toBe('true');
  });
});
