import { expect, it } from 'vitest';
import { TRIMMED } from '../../support/trim-rule.ts';
import { CLIENTS, reported, served } from './agents.ts';

/** One day of an agent, a person and the log, in the order of the day. */
it('an agent finds an over-spender, is refused by a guard, suggests within it, and a person decides', async () => {
  const product = await reported();
  const server = await served(product);
  const door = await CLIENTS['the client of 2026'](product, server);

  const spent = await door.call('query_sql', {
    sql: `SELECT campaign_id, sum(cost_micros) AS cost_micros, sum(clicks) AS clicks FROM stats
      GROUP BY campaign_id ORDER BY sum(cost_micros) * 1.0 / sum(clicks) DESC LIMIT 1`,
  });
  const [[campaign, cost, clicks]] = spent.answer.data.rows;
  expect(String(campaign)).toBe(TRIMMED.campaignId);
  const why = await door.call('explain_rule', { name: 'trim', campaign: String(campaign) });
  expect(why.answer.data.subjects).toHaveLength(1);

  const suggestion = {
    customer: TRIMMED.customerId,
    budget: TRIMMED.budgetId,
    to: '30.00 EUR',
    reason: 'each click costs more than 3 EUR',
    numbers: { 'cost, micros': String(cost), clicks: String(clicks) },
    as_of: spent.answer.as_of,
    key: 'morning-2026-11-20',
  };
  const refused = await door.call('propose_budget_change', suggestion);
  expect([refused.isError, refused.answer.refused]).toEqual([
    true,
    {
      code: 'OUTSIDE_LIMITS',
      reason: 'The step of the rule trim allows 48.00 EUR, found 30.00 EUR.',
      next_step: 'The nearest amount that would pass now is 48.00 EUR.',
      nearest: '48.00 EUR',
    },
  ]);
  const within = { ...suggestion, to: refused.answer.refused.nearest };
  const made = await door.call('propose_budget_change', within);
  const { code } = made.answer.data.proposal;
  expect(made.answer.data).toMatchObject({ repeated: false, proposal: { state: 'open', rule: 'agent:desk' } });
  expect((await door.call('propose_budget_change', within)).answer.data).toMatchObject({
    repeated: true,
    proposal: { code },
  });
  expect(product.amount()).toBe(60_000_000n);

  const admin = await server.tokenOf('--name', 'berta', '--role', 'admin');
  const page = async (path: string) => {
    const answer = await fetch(server.address + path, { headers: { authorization: `Bearer ${admin}` } });
    return (await answer.text()).replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
  };
  expect(await page('/inbox')).toContain('suggested by agent desk');
  expect(await page(`/inbox?act=approve&on=${code}`)).toContain('60.00 EUR to 48.00 EUR a day.');
  expect(await page('/log')).toContain('Agent desk asked to lower Generisch - Wanderschuhe');

  await product.run(['budgets', 'approve', code, '--why', 'agreed on the phone']);
  expect(product.amount()).toBe(48_000_000n);
  const shown = await door.call('show_proposal', { code });
  expect(JSON.stringify(shown.answer.data)).toContain('"approved"');
  expect((await door.call('withdraw_proposal', { code })).answer.refused.code).toBe('NOT_OPEN');

  const { answer } = await door.call('changes');
  expect(answer.data.changes).toMatchObject([
    { id: 1, rule: 'agent:desk', actor: 'approved by anna', from_micros: 60_000_000, to_micros: 48_000_000 },
  ]);
  const again = await door.call('propose_budget_change', { ...within, to: '47.00 EUR', key: 'noon-2026-11-20' });
  expect(again.answer.refused.code).toBe('ALREADY_DECIDED_TODAY');
  expect((await product.run(['audit', 'verify'])).code).toBe(0);
  const { value } = await product.json(['agents']);
  expect(value.map(({ tool, state }: { tool: string; state: string }) => `${tool} ${state}`)).toEqual([
    'propose_budget_change refused',
    'changes answered',
    'withdraw_proposal refused',
    'show_proposal answered',
    'propose_budget_change answered',
    'propose_budget_change answered',
    'propose_budget_change refused',
    'explain_rule answered',
    'query_sql answered',
  ]);
});
