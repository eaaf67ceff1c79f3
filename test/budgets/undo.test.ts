import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../src/domain/micros.ts';
import { undoIntent } from '../../src/engine/budgets/personal-change.ts';
import { type Intent, intentById } from '../../src/storage/records/budgets/intent-table.ts';
import { EUR } from '../sandbox/sandbox-client.ts';
import { sample } from '../support/effort.ts';
import { CUT, onChange, onReading, onValidation, type SendPath, saying, sendPath } from './send-path.ts';

const ANNA = { by: 'anna', why: 'the campaign runs again' };
const first = (path: SendPath) => path.budgets[0]?.amount ?? 0n;
const live = (path: SendPath) => path.amounts()[0];

/** A change of the first budget that was made. */
async function made(other: Parameters<SendPath['change']>[1] = {}): Promise<{ path: SendPath; intent: Intent }> {
  const path = await sendPath();
  expect(await path.change(1, other)).toEqual(['applied']);
  const [intent] = await path.intents();
  if (!intent) throw new Error('No intent.');
  return { path, intent };
}

const undo = (path: SendPath, intent: Intent, person = ANNA) =>
  undoIntent(path.deps, intent, person, path.today, async () => undefined);
const setByHand = (path: SendPath, amount: bigint) =>
  path.sandbox.setBudget(EUR, path.budgets[0]?.budgetId ?? '', micros(amount));

describe('undoing a change', () => {
  it('is given up by the next run if unsent, which says to ask again', async () => {
    const path = await sendPath();
    await path.change();
    const [made] = await path.intents();
    if (!made) throw new Error('Nothing was changed.');
    path.fault = onValidation({ kind: 'status', status: 503 });
    expect(await undo(path, made)).toMatchObject({ intent: { state: 'planned' } });
    path.fault = undefined;
    const reason = 'The change was never sent and will not be sent. If you still want it, request it again.';
    expect(await path.settle()).toMatchObject([{ state: 'expired', outcome: reason }]);
  });

  it('is refused if the change was not made', async () => {
    const path = await sendPath();
    path.fault = onChange(saying(400));
    await path.change();
    const [intent] = await path.intents();
    expect(intent && (await undo(path, intent))).toEqual({
      kind: 'refused',
      code: 'NOT_MADE',
      reason: 'B1 is rejected. You can undo only a change that was made.',
    });
  });

  it('is refused while the change is in doubt', async () => {
    const path = await sendPath();
    path.fault = onChange({ kind: 'reset_after' });
    await path.change();
    const [intent] = await path.intents();
    expect(intent && (await undo(path, intent))).toMatchObject({ code: 'NOT_MADE' });
  });

  it('is refused if someone else changed the budget since', async () => {
    const { path, intent } = await made();
    setByHand(path, 77_000_000n);
    expect(await undo(path, intent)).toMatchObject({
      code: 'FOREIGN_CHANGE',
      reason: expect.stringMatching(
        /^B1 set \d+\.00 EUR, and the budget is now 77\.00 EUR: someone else changed it since\.$/,
      ),
    });
    expect([path.sends().length, await path.states()]).toEqual([1, ['applied']]);
  });

  it('is refused if a rule changed the budget since, and names it', async () => {
    const { path, intent } = await made();
    path.clock.set('2026-11-21T12:00:00Z');
    await path.change(1, { from: intent.to, to: micros(intent.to - CUT) });
    expect(await undo(path, intent)).toMatchObject({
      code: 'FOREIGN_CHANGE',
      reason: expect.stringContaining(': rule trim@1f2e3d4c5b6a changed it since, as B2.'),
    });
  });

  it('is refused if already undone, and says by whom', async () => {
    const { path, intent } = await made();
    await undo(path, intent);
    expect(await undo(path, intent, { ...ANNA, by: 'ben' })).toEqual({
      kind: 'refused',
      code: 'UNDONE_ALREADY',
      reason: 'B1 was already undone by anna, as B2.',
    });
    expect(live(path)).toBe(first(path));
  });

  it('is refused while another change of the budget is under way', async () => {
    const { path, intent } = await made();
    path.fault = onChange({ kind: 'reset_before' });
    expect(await undo(path, intent)).toMatchObject({ kind: 'sent', intent: { state: 'unknown' } });
    path.fault = undefined;
    expect(await undo(path, intent)).toMatchObject({
      code: 'OUTCOME_OPEN',
      reason: 'B2 of the same budget is unknown. Run "pacekeeper budgets reconcile" first.',
    });
  });

  it('is refused while budgets are frozen', async () => {
    const { path, intent } = await made();
    writeFileSync(join(path.folder, 'FREEZE'), 'holidays');
    expect(await undo(path, intent)).toEqual({
      kind: 'refused',
      code: 'FROZEN',
      reason: 'Budget changes are frozen by the file FREEZE: holidays.',
    });
    expect(await path.states()).toEqual(['applied']);
  });

  it.each(
    sample([
      [
        'below the floor',
        { floor: micros(400_000_000n), ceiling: undefined },
        'AT_FLOOR',
        'is below the floor of 400.00 EUR.',
      ],
      [
        'above the ceiling',
        { floor: undefined, ceiling: micros(2_000_000n) },
        'AT_CEILING',
        'is above the ceiling of 2.00 EUR.',
      ],
    ] as const),
  )('is refused if the old amount is %s of the decision', async (_, limits, code, words) => {
    const { path, intent } = await made(limits);
    expect(await undo(path, intent)).toMatchObject({ code, reason: expect.stringContaining(words) });
    expect(path.sends()).toHaveLength(1);
  });

  it.each(sample([400, 403, 503]))('is refused if the budget cannot be read: %i', async (status) => {
    const { path, intent } = await made();
    path.fault = onReading({ kind: 'status', status });
    expect(await undo(path, intent)).toMatchObject({ kind: 'refused', code: 'NOT_READ' });
  });

  it('is refused if the budget was removed', async () => {
    const { path, intent } = await made();
    path.sandbox.removeBudget(EUR, path.budgets[0]?.budgetId ?? '');
    expect(await undo(path, intent)).toMatchObject({ kind: 'refused', code: 'BUDGET_REMOVED' });
  });

  it('sends the inverse at once, on the same day, as an intent of the person', async () => {
    const { path, intent } = await made();
    const result = await undo(path, intent);
    expect(result).toMatchObject({
      kind: 'sent',
      intent: {
        kind: 'undo',
        undoes: intent.id,
        actor: 'anna',
        state: 'applied',
        from: intent.to,
        to: intent.from,
        reason: 'the campaign runs again (undoes B1 by rule trim@1f2e3d4c5b6a)',
      },
    });
    expect(live(path)).toBe(first(path));
    expect(path.rows('SELECT text FROM alert ORDER BY id DESC LIMIT 1')[0]?.text).toMatchInlineSnapshot(`
      "Budget change undone by anna: budget 11087015485
      80.00 EUR to 90.00 EUR (+12.5%)
      Why: the campaign runs again (undoes B1 by rule trim@1f2e3d4c5b6a)
      Account 4081725530
      Undo: pacekeeper budgets undo B2"
    `);
  });

  it('needs a validation, like every change', async () => {
    const { path, intent } = await made();
    path.fault = onValidation(saying(400));
    expect(await undo(path, intent)).toMatchObject({ kind: 'sent', intent: { state: 'rejected' } });
    expect(path.sends()).toHaveLength(1);
  });

  it('in doubt is resolved like every change, in every mode', async () => {
    const { path, intent } = await made();
    path.fault = onChange({ kind: 'reset_before' });
    await undo(path, intent);
    path.fault = undefined;
    expect(await path.settle('propose')).toMatchObject([{ state: 'applied' }]);
    expect(live(path)).toBe(first(path));
  });

  it('can be undone itself', async () => {
    const { path, intent } = await made();
    await undo(path, intent);
    const inverse = await intentById(path.state.db, 2n);
    expect(inverse && (await undo(path, inverse, { ...ANNA, by: 'ben' }))).toMatchObject({
      intent: { state: 'applied' },
    });
    expect(live(path)).toBe(first(path) - CUT);
  });

  it('leaves the rule’s change as the change of the day', async () => {
    const { path, intent } = await made();
    await undo(path, intent);
    expect(await path.plan()).toEqual([]);
  });
});
