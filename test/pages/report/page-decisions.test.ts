import { expect, it } from 'vitest';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { redactReport } from '../../../src/dashboard/report/gather-report.ts';
import { neighboursOf } from '../../../src/dashboard/report/page-decisions.ts';
import type { Intent } from '../../../src/storage/records/budgets/intent-table.ts';
import { someIntent } from '../../support/state.ts';
import { account, BUSY } from './report-facts.ts';

it('compares days between the previous and the next change of a budget', () => {
  const change = (id: bigint | undefined, accountDay: string, more = {}) =>
    ({ ...someIntent(), id, accountDay, ...more }) as unknown as Intent;
  const found = neighboursOf([
    change(4n, '2026-11-18'),
    change(3n, '2026-11-15', { budgetId: '999' }),
    change(1n, '2026-11-10'),
  ]);
  expect(found.get(4n)).toEqual({ since: '2026-11-10', until: undefined });
  expect(found.get(3n)).toEqual({ since: undefined, until: undefined });
  expect(found.get(1n)).toEqual({ since: undefined, until: '2026-11-18' });
  const byOthers = neighboursOf([change(2n, '2026-11-18'), change(undefined, '2026-11-14'), change(1n, '2026-11-10')]);
  expect(byOthers.get(2n)).toEqual({ since: '2026-11-14', until: undefined });
  expect(byOthers.get(1n)).toEqual({ since: undefined, until: '2026-11-14' });
});

it('redacts phone numbers and secrets in names of the report', () => {
  const name = 'Call +15550100002, the key is hidden-key';
  const campaigns = account().campaigns?.map((campaign) => ({ ...campaign, name }));
  const decisions = BUSY.decisions.map((decision) => ({
    ...decision,
    campaignName: name,
    rule: name,
    accountName: name,
  }));
  const accounts = [account({ name, campaigns })];
  const facts = redactReport(
    { ...BUSY, accounts, decisions },
    settingsFrom('/', {}, { MESSAGES_PASSWORD: 'hidden-key' }, ''),
  );
  expect(JSON.stringify(facts, (_, value) => (typeof value === 'bigint' ? 0 : value))).not.toMatch(
    /15550100002|hidden-key/,
  );
  expect(facts.accounts[0]?.days).toBe(accounts[0]?.days);
});
