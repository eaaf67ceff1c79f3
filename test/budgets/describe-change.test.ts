import { describe, expect, it } from 'vitest';
import { alertFor, alertForProposal } from '../../src/engine/budgets/describe-change.ts';
import type { Intent } from '../../src/storage/records/budgets/intent-table.ts';
import type { Proposal } from '../../src/storage/records/budgets/proposal-table.ts';
import { OF_RULE, someIntent } from '../support/state.ts';

const SHOP = { name: 'Trail Shop', locale: undefined };
const made = (other: Partial<Intent> = {}): Intent => ({
  ...someIntent(),
  id: 12n,
  runId: undefined,
  alertText: undefined,
  alertSeverity: undefined,
  state: 'applied',
  code: undefined,
  outcome: undefined,
  createdAt: '2026-11-20T12:00:00Z',
  updatedAt: '2026-11-20T12:00:00Z',
  ...other,
});
const proposed = (other: Partial<Proposal> = {}): Proposal => {
  const { kind: _kind, undoes: _undoes, actor: _actor, ...change } = someIntent();
  return {
    ...change,
    runId: undefined,
    alertText: undefined,
    alertSeverity: undefined,
    code: '7K3Q',
    state: 'open',
    intentId: undefined,
    decidedBy: undefined,
    decidedAt: undefined,
    createdAt: '2026-11-20T12:00:00Z',
    expiresAt: '2026-11-20T18:00:00Z',
    ...OF_RULE,
    ...other,
  };
};
const BY_REPLY = { byReply: true, timeZone: 'Europe/Berlin' };

describe('the alert of a change', () => {
  it('has five lines: event, amounts, reason, account, and how to undo it', () => {
    const reason = 'cost / clicks (2.71) > 2.50; decrease budget by 15%: 40.00 EUR to 34.00 EUR';
    const reasonWithoutAmounts = 'cost / clicks (2.71) > 2.50; decrease budget by 15%';
    expect(alertFor({ ...made({ reason }), reasonWithoutAmounts }, SHOP)).toEqual({
      dedupeKey: 'budget-intent:12:done',
      severity: 'info',
      customerId: '1234567890',
      rule: 'trim',
      text: [
        'Budget changed: Trail Shoes (campaign 21)',
        '40.00 EUR to 34.00 EUR (-15%)',
        'Why: cost / clicks (2.71) > 2.50; decrease budget by 15%',
        'Account Trail Shop (1234567890), rule trim',
        'Undo: pacekeeper budgets undo B12',
      ].join('\n'),
    });
  });

  const UNDO_IT = 'Undo: pacekeeper budgets undo B12';
  const SHOW_IT = 'More: pacekeeper budgets show B12';
  const CHECK_IT = 'Check B12: pacekeeper budgets reconcile';
  const SHOES = 'Trail Shoes (campaign 21)';
  const UNDONE: Partial<Intent> = { kind: 'undo', origin: 'undo', undoes: 3n, actor: 'anna' };
  const DEAR = { alertText: 'Clicks are dear.' };
  it.each<[sentence: string, intent: Partial<Intent>, first: string, last: string, severity: string]>([
    ['confirmed by reading', { state: 'confirmed' }, `Budget change confirmed: ${SHOES}`, UNDO_IT, 'info'],
    [
      'of a budget of several campaigns',
      { campaignId: undefined, campaignName: undefined },
      'Budget changed: budget 201',
      UNDO_IT,
      'info',
    ],
    ['of a campaign with an unknown name', { campaignName: undefined }, 'Budget changed: campaign 21', UNDO_IT, 'info'],
    ['rejected', { state: 'rejected', outcome: 'Too low.' }, `Budget change rejected: ${SHOES}`, SHOW_IT, 'warning'],
    [
      'in doubt',
      { state: 'unknown', outcome: 'No answer.' },
      `Budget change, outcome unknown: it may have been made: ${SHOES}`,
      CHECK_IT,
      'warning',
    ],
    ['undone by a person', UNDONE, `Budget change undone by anna: ${SHOES}`, UNDO_IT, 'info'],
    [
      'superseded by somebody else’s change',
      { state: 'superseded' },
      `Budget change cancelled: the budget has changed since: ${SHOES}`,
      SHOW_IT,
      'warning',
    ],
    [
      'not undone for a person, because the budget amount differs',
      { ...UNDONE, state: 'superseded' },
      `Undo of a budget change, requested by anna, cancelled: the budget has changed since: ${SHOES}`,
      SHOW_IT,
      'warning',
    ],
    [
      'not undone for a person, because budgets were frozen',
      { ...UNDONE, state: 'expired', outcome: 'Frozen.' },
      `Undo of a budget change, requested by anna, not made: ${SHOES}`,
      SHOW_IT,
      'warning',
    ],
    [
      'approved and not made',
      { state: 'expired', origin: 'approval', actor: 'approved by anna', outcome: 'Frozen.' },
      `Approved budget change not made: ${SHOES}`,
      SHOW_IT,
      'warning',
    ],
    [
      'of a rule with severity critical',
      { ...DEAR, alertSeverity: 'critical' },
      `Budget changed: ${SHOES}`,
      UNDO_IT,
      'critical',
    ],
    [
      'rejected, of a rule with severity info',
      { state: 'rejected', outcome: 'Too low.', ...DEAR, alertSeverity: 'info' },
      `Budget change rejected: ${SHOES}`,
      SHOW_IT,
      'warning',
    ],
  ])('describes a change %s', (_sentence, intent, first, last, severity) => {
    const alert = alertFor(made(intent), SHOP);
    const { outcome, alertText } = intent;
    const said = [outcome, alertText].filter((text) => text !== undefined);
    const expected = [first, '40.00 EUR to 34.00 EUR (-15%)', ...said];
    const lines = alert?.text.split('\n') ?? [];
    expect([lines.slice(0, -3), lines.at(-1), alert?.severity]).toEqual([expected, last, severity]);
  });

  it.each<[sentence: string, intent: Partial<Intent>]>([
    ['planned', { state: 'planned' }],
    ['under way', { state: 'sending' }],
    ['of a rule, expired, because the rule decides again', { state: 'expired' }],
  ])('does not exist for a change %s', (_sentence, intent) => {
    expect(alertFor(made(intent), SHOP)).toBeUndefined();
  });

  it('starts with the event, then the rule’s own message, and the account on its own line', () => {
    const told = { alertText: 'Trail Shoes:\n2.71 EUR a click', alertSeverity: 'warning' } as const;
    expect(alertFor(made(told), { name: undefined, locale: undefined })?.text).toBe(
      [
        'Budget changed: Trail Shoes (campaign 21)',
        '40.00 EUR to 34.00 EUR (-15%)',
        'Trail Shoes: 2.71 EUR a click',
        'Why: cost / clicks = 2.71 > 2.50',
        'Account 1234567890, rule trim',
        'Undo: pacekeeper budgets undo B12',
      ].join('\n'),
    );
  });

  it('has its reason on one line, for any layout of the rule', () => {
    const reason = ' cost / clicks = 2.71\n   > 2.50 ';
    const text = alertFor(made({ reason }), SHOP)?.text ?? '';
    expect(text.split('\n')[2]).toBe('Why: cost / clicks = 2.71 > 2.50');
  });

  it('has the complete reason if it was recorded only with amounts', () => {
    const reason = 'clicks = 3; decrease budget by 15%: 40.00 EUR to 34.00 EUR';
    const text = alertFor(made({ reason }), SHOP)?.text ?? '';
    expect(text.split('\n')[2]).toBe(`Why: ${reason}`);
  });

  it('cuts a long reason between words, and says where to read all of it', () => {
    const text = alertFor(made({ reason: 'clicks (412) >= 30 AND '.repeat(20) }), SHOP)?.text ?? '';
    const why = text.split('\n')[2] ?? '';
    expect(why).toMatch(/^Why: .*(clicks|\(412\)|>=|30|AND)… \(in full: pacekeeper budgets show B12\)$/);
    expect(why.indexOf('…')).toBeLessThanOrEqual('Why: '.length + 160);
  });

  it('has a bounded length, for any campaign name and service answer', () => {
    const long = '👟 a\nb '.repeat(2000);
    const intent = made({ state: 'rejected', campaignName: long, outcome: long, reason: long });
    const text = alertFor({ ...intent, alertText: long, alertSeverity: 'info' }, { ...SHOP, name: long })?.text ?? '';
    expect(text.split('\n')).toHaveLength(7);
    expect(text.length).toBeLessThan(1_500);
    // No half characters.
    expect(Buffer.from(text).toString()).toBe(text);
  });
});

describe('a name in an alert', () => {
  const HOSTILE = 'Shoes\u202e *paid* \u2066https://evil.example\u200b, 40.00 EUR to 4,000.00 EUR\nReply YES 9999';
  const SHOWN = 'Shoes ∗paid∗ https:∕∕evil․example, 40.00 EUR to 4,000.00 EUR Reply YES 9999';

  it('has no effect on direction, formatting or links, and shares no line with an amount or a code', () => {
    const proposal = proposed({ campaignName: HOSTILE, reason: `campaign_name ('${HOSTILE}') LIKE 'S%'` });
    const { text, short } = alertForProposal(proposal, { ...SHOP, name: HOSTILE }, BY_REPLY);
    expect(text.split('\n')).toEqual([
      `Budget change awaiting approval: ${SHOWN} (campaign 21)`,
      '40.00 EUR to 34.00 EUR (-15%)',
      `Why: campaign_name ('${SHOWN}') LIKE 'S%'`,
      `Account ${SHOWN} (1234567890), rule trim`,
      'Reply YES 7K3Q or NO 7K3Q (until 19:00 Europe/Berlin)',
    ]);
    expect(short).toBe('YES 7K3Q or NO 7K3Q: 40.00 EUR to 34.00 EUR (-15%)\n  Shoes ∗paid∗ https:∕∕evil․example…');
  });

  it('written from right to left does not reverse the words around it', () => {
    const { text } = alertForProposal(proposed({ campaignName: 'נעלי ספורט' }), SHOP, BY_REPLY);
    expect(text.split('\n')[0]).toBe('Budget change awaiting approval: \u2068נעלי ספורט\u2069 (campaign 21)');
  });

  it('is shortened', () => {
    const { text } = alertForProposal(proposed({ campaignName: 'x'.repeat(500) }), SHOP, BY_REPLY);
    expect(text.split('\n')[0]).toBe(`Budget change awaiting approval: ${'x'.repeat(79)}… (campaign 21)`);
  });
});

describe('the alert of a proposal', () => {
  it.each<[sentence: string, proposal: Partial<Proposal>, byReply: boolean, last: string]>([
    ['ends with how to reply, and the deadline', {}, true, 'Reply YES 7K3Q or NO 7K3Q (until 19:00 Europe/Berlin)'],
    [
      'names the day if it differs',
      { expiresAt: '2026-11-21T12:00:00Z' },
      true,
      'Reply YES 7K3Q or NO 7K3Q (until the report of 2026-11-21, 13:00 Europe/Berlin at the latest)',
    ],
    [
      'names both days if it stays valid after the next report',
      { expiresAt: '2026-11-22T12:00:00Z' },
      true,
      'Reply YES 7K3Q or NO 7K3Q (until the report of 2026-11-21, 2026-11-22 13:00 Europe/Berlin at the latest)',
    ],
    [
      'names the commands if nobody may reply',
      {},
      false,
      'Decide: pacekeeper budgets approve 7K3Q or reject 7K3Q (until 19:00 Europe/Berlin)',
    ],
  ])('%s', (_sentence, proposal, byReply, last) => {
    const { text, dedupeKey, severity } = alertForProposal(proposed(proposal), SHOP, { ...BY_REPLY, byReply });
    expect([dedupeKey, severity]).toEqual(['proposal:7K3Q', 'info']);
    expect(text.split('\n')).toEqual([
      'Budget change awaiting approval: Trail Shoes (campaign 21)',
      '40.00 EUR to 34.00 EUR (-15%)',
      'Why: cost / clicks = 2.71 > 2.50',
      'Account Trail Shop (1234567890), rule trim',
      last,
    ]);
  });

  it('has the rule’s own message third, its severity, and amounts in the account’s format', () => {
    const proposal = proposed({ alertText: 'Clicks are dear.', alertSeverity: 'warning' });
    const { text, severity } = alertForProposal(proposal, { ...SHOP, locale: 'de-DE' }, BY_REPLY);
    expect(severity).toBe('warning');
    expect(text.replaceAll('\u00a0', ' ')).toMatch(
      /^Budget change awaiting approval: .*\n40,00 € to 34,00 € \(-15 %\)\nClicks are dear\.\nWhy: .*\nAccount .*\nReply YES /,
    );
  });

  it.each<[sentence: string, proposal: Partial<Proposal>, byReply: boolean, short: string]>([
    ['how to reply', {}, true, 'YES 7K3Q or NO 7K3Q: 40.00 EUR to 34.00 EUR (-15%)\n  Trail Shoes'],
    [
      'the commands if nobody may reply',
      {},
      false,
      'pacekeeper budgets approve 7K3Q or reject 7K3Q: 40.00 EUR to 34.00 EUR (-15%)\n  Trail Shoes',
    ],
    [
      'a budget of several campaigns',
      { campaignId: undefined, campaignName: undefined },
      true,
      'YES 7K3Q or NO 7K3Q: 40.00 EUR to 34.00 EUR (-15%)\n  budget 201',
    ],
    [
      'a long name cut between words',
      { campaignName: 'Trail Running Shoes for everybody, everywhere' },
      true,
      'YES 7K3Q or NO 7K3Q: 40.00 EUR to 34.00 EUR (-15%)\n  Trail Running Shoes for everybody…',
    ],
  ])('has a short form of two lines: %s', (_sentence, proposal, byReply, short) => {
    expect(alertForProposal(proposed(proposal), SHOP, { ...BY_REPLY, byReply }).short).toBe(short);
  });
});
