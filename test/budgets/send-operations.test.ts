import { describe, expect, it } from 'vitest';
import { type SendOutcome, sendOperations } from '../../src/engine/budgets/carry-out.ts';
import { transportFailure } from '../../src/services/http/classify-failure.ts';
import { type Answering, answering, changesOf, refusing, refusingEach, type Said } from './answering.ts';
import { CUSTOMER } from './send-path.ts';

const FINE: Said = [200, {}];
const NOW = { databaseError: 'CONCURRENT_MODIFICATION' };
const NEVER = { campaignBudgetError: 'CAMPAIGN_BUDGET_REMOVED' };
const LOST = transportFailure(Object.assign(new Error('reset'), { code: 'ECONNRESET' }), {
  host: 'service.invalid',
  proxy: undefined,
});

const shown = (outcome: SendOutcome) => (outcome.kind === 'failed' ? outcome.error.status : outcome.kind);

async function send({ deps }: Answering, validateOnly: boolean, ...ids: number[]) {
  const outcomes = await sendOperations(deps, CUSTOMER, changesOf(...ids), { validateOnly });
  return [...outcomes].map(([id, outcome]) => `${id} ${shown(outcome)}`);
}

describe('a validation', () => {
  it('is one request, with a crash point on both sides', async () => {
    const service = answering([FINE]);
    expect(await send(service, true, 1, 2)).toEqual(['1 accepted', '2 accepted']);
    expect(service.asked).toEqual(['validate 1 2']);
    expect(service.passed).toEqual(['validate:before-send', 'validate:after-answer']);
  });

  it('is repeated completely after a quota refusal, with a log line', async () => {
    const service = answering([[429, ''], FINE]);
    expect(await send(service, true, 1, 2)).toEqual(['1 accepted', '2 accepted']);
    expect(service.asked).toEqual(['validate 1 2', 'validate 1 2']);
    expect(service.warned).toEqual([expect.stringMatching(/^Budgets of account \d+: .*Trying again in [\d.]+ s\.$/)]);
    expect(Number(/in ([\d.]+) s/.exec(service.warned[0] ?? '')?.[1])).toBeLessThan(60);
  });

  it('is repeated after a lost answer, because it changes nothing', async () => {
    const service = answering([LOST, FINE]);
    expect(await send(service, true, 1)).toEqual(['1 accepted']);
    expect(service.passed).toHaveLength(4);
  });

  it('repeats only operations that may pass later', async () => {
    const service = answering([refusing(NOW, 1), FINE]);
    expect(await send(service, true, 1, 2, 3)).toEqual(['1 accepted', '2 accepted', '3 accepted']);
    expect(service.asked).toEqual(['validate 1 2 3', 'validate 2']);
  });

  it('repeats no permanent refusal', async () => {
    const service = answering([refusing(NEVER, 0)]);
    expect(await send(service, true, 1, 2)).toEqual(['1 PARTIAL_FAILURE', '2 accepted']);
    expect(service.asked).toEqual(['validate 1 2']);
  });

  it('repeats operations that may pass later, without permanent refusals', async () => {
    const service = answering([refusingEach({ 0: NOW, 1: NEVER }), FINE], { log: undefined as never });
    expect(await send(service, true, 1, 2, 3)).toEqual(['1 accepted', '2 PARTIAL_FAILURE', '3 accepted']);
    expect(service.asked).toEqual(['validate 1 2 3', 'validate 1']);
  });

  it('ends with the failure after the last attempt', async () => {
    const service = answering([[503, '']]);
    expect(await send(service, true, 1, 2)).toEqual(['1 MALFORMED', '2 MALFORMED']);
    expect(service.asked).toHaveLength(3);
  });
});

describe('a change', () => {
  it('is never repeated, whatever its outcome', async () => {
    for (const said of [[429, ''], [503, ''], LOST, refusing(NOW, 0)] as const) {
      const service = answering([said, FINE]);
      const [outcome] = await send(service, false, 1);
      expect(outcome).not.toBe('1 accepted');
      expect([service.asked, service.warned]).toEqual([['mutate 1'], []]);
      expect(service.passed).toEqual(['mutate:before-send', 'mutate:after-answer']);
    }
  });
});

describe('operations that may not be sent', () => {
  const frozen = async () => 'frozen by anna';
  it.each([true, false])('are not sent while budgets are frozen, a reason that precedes a stop', async (v) => {
    for (const stop of [{}, { stop: AbortSignal.abort() }]) {
      const service = answering([FINE], { frozen, ...stop });
      const outcomes = await sendOperations(service.deps, CUSTOMER, changesOf(1), { validateOnly: v });
      expect([...outcomes.values()]).toEqual([{ kind: 'frozen', reason: 'frozen by anna' }]);
      expect([service.asked, service.passed]).toEqual([[], []]);
    }
  });

  it.each([true, false])('are not sent if the run is asked to stop', async (validateOnly) => {
    const service = answering([FINE], { stop: AbortSignal.abort() });
    expect(await send(service, validateOnly, 1, 2)).toEqual(['1 stopped', '2 stopped']);
    expect(service.asked).toEqual([]);
  });

  it('are not sent if budgets are frozen before the second attempt; accepted ones stay accepted', async () => {
    let times = 0;
    const service = answering([refusing(NOW, 1)], { frozen: async () => (times++ === 0 ? undefined : 'frozen') });
    expect(await send(service, true, 1, 2)).toEqual(['1 accepted', '2 frozen']);
    expect(service.asked).toEqual(['validate 1 2']);
  });
});

it('an internal error is no outcome of a change', async () => {
  await expect(send(answering([new TypeError('broken')]), true, 1)).rejects.toThrow('broken');
  await expect(send(answering([new TypeError('broken')]), false, 1)).rejects.toThrow('broken');
});
