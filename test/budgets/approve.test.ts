import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../src/domain/micros.ts';
import { approveProposal, type Recheck, rejectProposal } from '../../src/engine/budgets/personal-change.ts';
import { verifyAudit } from '../../src/engine/budgets/verify-audit.ts';
import type { ChangeAlert, DecidedOn } from '../../src/storage/records/budgets/decided-change.ts';
import { insertProposal, type Proposal, proposalByCode } from '../../src/storage/records/budgets/proposal-table.ts';
import { EUR } from '../sandbox/sandbox-client.ts';
import { CUT, cut, onChange, onReading, onValidation, type SendPath, sendPath } from './send-path.ts';

const ANNA = { by: 'anna', why: 'fine by me' };
const first = (path: SendPath) => path.budgets[0]?.amount ?? 0n;
const live = (path: SendPath) => path.amounts()[0];
const allowed: Recheck = async () => undefined;

async function proposed(alert?: ChangeAlert): Promise<{ path: SendPath; proposal: Proposal }> {
  const path = await sendPath();
  return { path, proposal: await propose(path, alert) };
}

async function propose(path: SendPath, alert?: ChangeAlert, decidedOn?: DecidedOn): Promise<Proposal> {
  const [budget] = path.budgets;
  if (!budget) throw new Error('No budget.');
  const { kind: _kind, undoes: _undoes, actor: _actor, ...decided } = cut(budget, path.today());
  const expiresAtMs = path.clock.now() + 24 * 3_600_000;
  const proposal = await insertProposal(
    path.state.db,
    undefined,
    { ...decided, ...alert, decidedOn, expiresAtMs },
    path.clock.now(),
  );
  if (!proposal) throw new Error('A proposal waits already.');
  return proposal;
}

const approve = (path: SendPath, { code }: Pick<Proposal, 'code'>, recheck = allowed) =>
  approveProposal(path.deps, code, ANNA, path.today, recheck);
const stateOf = async (path: SendPath, { code }: Proposal) => (await proposalByCode(path.state.db, code))?.state;

describe('approving a proposal', () => {
  it('is refused for an unknown code', async () => {
    expect(await approve(await sendPath(), { code: 'XXXX' })).toEqual({
      kind: 'refused',
      code: 'NO_SUCH_PROPOSAL',
      reason: 'No such proposal: "XXXX". Run "pacekeeper budgets list" to see those awaiting approval.',
    });
  });

  it('records the subject and the numbers of the proposal', async () => {
    const path = await sendPath();
    const numbers = [{ name: 'clicks', days: [], computed: false, value: '408', unit: 'count' }];
    const decidedOn = { subjectKind: 'campaign', subject: 'Trail Shoes (campaign 21)', numbers } as const;
    const proposal = await propose(path, undefined, decidedOn);
    await approve(path, proposal);
    const rows = path.state.connection
      .prepare('SELECT kind, origin, subject, numbers, proposal_code FROM decision ORDER BY event_id')
      .all() as { numbers: string }[];
    const told = { subject: 'Trail Shoes (campaign 21)', numbers: rows[0]?.numbers, proposal_code: proposal.code };
    expect(rows).toEqual([
      { kind: 'proposal', origin: 'rule', ...told },
      { kind: 'change', origin: 'approval', ...told },
    ]);
    expect(JSON.parse(rows[0]?.numbers ?? '')).toEqual(numbers);
    expect((await verifyAudit(path.state)).differences).toEqual([]);
  });

  it('is refused after its time, and the proposal expires', async () => {
    const { path, proposal } = await proposed();
    path.clock.set('2026-11-21T12:00:00Z');
    expect(await approve(path, proposal)).toEqual({
      kind: 'refused',
      code: 'PROPOSAL_EXPIRED',
      reason: `Proposal ${proposal.code} expired at 2026-11-21T12:00:00Z.`,
    });
    expect([await stateOf(path, proposal), path.sends()]).toEqual(['expired', []]);
    expect(await approve(path, proposal)).toMatchObject({ code: 'PROPOSAL_EXPIRED' });
  });

  it('is refused if somebody has already decided, and says who', async () => {
    const { path, proposal } = await proposed();
    await approve(path, proposal);
    expect(await approve(path, proposal)).toMatchObject({
      code: 'DECIDED_ALREADY',
      reason: `Proposal ${proposal.code} was approved by anna at 2026-11-20T12:00:00Z (B1).`,
    });
    expect(path.sends()).toHaveLength(1);
  });

  it('is superseded if the budget has another amount, which is recorded as a foreign change', async () => {
    const { path, proposal } = await proposed();
    path.sandbox.setBudget(EUR, proposal.budgetId, micros(77_000_000n));
    expect(await approve(path, proposal)).toMatchObject({
      code: 'SUPERSEDED',
      reason: expect.stringMatching(/is superseded: It was based on \d+\.00 EUR, but the budget is now 77\.00 EUR\.$/),
    });
    expect([await stateOf(path, proposal), path.sends()]).toEqual(['superseded', []]);
    expect(path.rows('SELECT found_micros FROM foreign_change')).toEqual([{ found_micros: 77_000_000n }]);
  });

  it('is superseded without a foreign change if we changed the budget', async () => {
    const { path, proposal } = await proposed();
    await path.change();
    expect(await approve(path, proposal)).toMatchObject({ code: 'SUPERSEDED' });
    expect(path.rows('SELECT id FROM foreign_change')).toEqual([]);
  });

  it('is superseded if the budget was removed', async () => {
    const { path, proposal } = await proposed();
    path.sandbox.removeBudget(EUR, proposal.budgetId);
    expect(await approve(path, proposal)).toMatchObject({ code: 'BUDGET_REMOVED' });
    expect(await stateOf(path, proposal)).toBe('superseded');
  });

  it('is refused while our own change is in doubt, without a foreign change', async () => {
    const { path, proposal } = await proposed();
    path.fault = onChange({ kind: 'reset_after' });
    await path.change();
    path.fault = undefined;
    expect(await approve(path, proposal)).toMatchObject({ code: 'OUTCOME_OPEN' });
    expect([await stateOf(path, proposal), path.rows('SELECT id FROM foreign_change')]).toEqual(['open', []]);
  });

  it('is refused during another change of the budget, and stays open', async () => {
    const { path, proposal } = await proposed();
    path.fault = onChange({ kind: 'reset_before' });
    await path.change();
    path.fault = undefined;
    expect(await approve(path, proposal)).toMatchObject({ code: 'OUTCOME_OPEN' });
    expect(await stateOf(path, proposal)).toBe('open');
  });

  it('is refused after the budget’s change of the day, and stays open', async () => {
    const { path, proposal } = await proposed();
    await path.change();
    path.sandbox.setBudget(EUR, proposal.budgetId, proposal.from);
    expect(await approve(path, proposal)).toEqual({
      kind: 'refused',
      code: 'ALREADY_DECIDED_TODAY',
      reason: 'The budget was already changed on 2026-11-20 (B1, applied). This change still awaits approval.',
    });
    expect([await stateOf(path, proposal), path.sends().length]).toEqual(['open', 1]);
  });

  it('is refused while budgets are frozen, and stays open', async () => {
    const { path, proposal } = await proposed();
    writeFileSync(join(path.folder, 'FREEZE'), 'holidays');
    expect(await approve(path, proposal)).toMatchObject({
      code: 'FROZEN',
      reason: `Budget changes are frozen by the file FREEZE: holidays. ${proposal.code} still awaits approval.`,
    });
    expect(await stateOf(path, proposal)).toBe('open');
  });

  it('is refused while a fact is unknown, and stays open', async () => {
    const { path, proposal } = await proposed();
    const objection = { code: 'CURRENCY_NOT_KNOWN', reason: 'Its currency is not known.' };
    const recheck: Recheck = async () => ({ ...objection, ends: false });
    expect(await approve(path, proposal, recheck)).toEqual({ kind: 'refused', ...objection });
    expect([await stateOf(path, proposal), await path.intents()]).toEqual(['open', []]);
  });

  it('is superseded for good if it is no longer valid, with code and reason', async () => {
    const { path, proposal } = await proposed();
    const objection = { code: 'ACCOUNT_TOTAL', reason: 'At most 90.00 EUR is allowed.' };
    const reason = `Proposal ${proposal.code} is superseded: ${objection.reason}`;
    const refusal = { kind: 'refused', code: 'ACCOUNT_TOTAL', reason };
    expect(await approve(path, proposal, async () => ({ ...objection, ends: true }))).toEqual(refusal);
    expect([await stateOf(path, proposal), await path.intents()]).toEqual(['superseded', []]);
    const [event] = path.rows("SELECT detail FROM budget_event WHERE kind = 'proposal_expired'");
    expect(JSON.parse(String(event?.detail))).toMatchObject({ why: objection.reason, code: 'ACCOUNT_TOTAL' });
  });

  it.each([400, 503])('is refused if the budget cannot be read, and stays open: %i', async (status) => {
    const { path, proposal } = await proposed();
    path.fault = onReading({ kind: 'status', status });
    expect(await approve(path, proposal)).toMatchObject({ code: 'NOT_READ' });
    expect(await stateOf(path, proposal)).toBe('open');
  });

  it('sends the change at once, with both reasons', async () => {
    const { path, proposal } = await proposed();
    expect(await approve(path, { code: ` ${proposal.code.toLowerCase()} ` })).toMatchObject({
      kind: 'sent',
      intent: {
        kind: 'rule',
        actor: 'approved by anna',
        state: 'applied',
        rule: 'trim',
        reason: 'cost / clicks = 2.71 > 2.50 (approved by anna: fine by me)',
      },
    });
    expect(live(path)).toBe(first(path) - CUT);
    expect(await proposalByCode(path.state.db, proposal.code)).toMatchObject({ state: 'approved', intentId: 1n });
    expect(path.rows('SELECT text FROM alert')[0]?.text).toMatchInlineSnapshot(`
      "Budget changed: budget 11087015485
      90.00 EUR to 80.00 EUR (-11.1%)
      Why: cost / clicks = 2.71 > 2.50 (approved by anna: fine by me)
      Account 4081725530, rule trim
      Undo: pacekeeper budgets undo B1"
    `);
  });

  it('keeps the rule’s message for the alert, not for the record', async () => {
    const { path, proposal } = await proposed({ alertText: 'Clicks are dear.', alertSeverity: 'critical' });
    await approve(path, proposal);
    expect(path.rows('SELECT severity, text FROM alert')).toEqual([
      { severity: 'critical', text: expect.stringMatching(/^Budget changed: .*\n.*\nClicks are dear\.\n/) },
    ]);
    expect(path.rows("SELECT id FROM budget_event WHERE detail LIKE '%dear%' OR detail LIKE '%alert%'")).toEqual([]);
    const { broken, differences } = await verifyAudit(path.state);
    expect([broken, differences]).toEqual([[], []]);
  });

  it('tells the person if the approved change was not made', async () => {
    const { path, proposal } = await proposed();
    path.fault = onValidation({ kind: 'status', status: 503 });
    expect(await approve(path, proposal)).toMatchObject({ intent: { state: 'planned' } });
    path.fault = undefined;
    expect(await path.settle()).toMatchObject([{ state: 'expired' }]);
    expect(path.rows('SELECT text FROM alert')[0]?.text).toMatch(
      /^Approved budget change not made: budget 11087015485\n/,
    );
  });
});

describe('rejecting a proposal', () => {
  it('ends it, and nothing is sent', async () => {
    const { path, proposal } = await proposed();
    expect(await rejectProposal(path.deps, proposal.code, ANNA)).toMatchObject({
      kind: 'declined',
      proposal: { state: 'rejected', decidedBy: 'anna' },
    });
    expect(await approve(path, proposal)).toMatchObject({ code: 'DECIDED_ALREADY' });
    expect(path.sandbox.requests).toEqual([]);
  });

  it('is refused if somebody has already decided', async () => {
    const { path, proposal } = await proposed();
    await approve(path, proposal);
    expect(await rejectProposal(path.deps, proposal.code, ANNA)).toMatchObject({ code: 'DECIDED_ALREADY' });
  });

  it('allows the next proposal', async () => {
    const { path, proposal } = await proposed();
    await rejectProposal(path.deps, proposal.code, ANNA);
    expect((await propose(path)).code).not.toBe(proposal.code);
  });
});
