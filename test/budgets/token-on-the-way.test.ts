import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../src/domain/micros.ts';
import { applyIntents } from '../../src/engine/budgets/carry-out.ts';
import type { TokenSource } from '../../src/services/ads/access-token.ts';
import { EUR } from '../sandbox/sandbox-client.ts';
import { CUSTOMER, onChange, type SendPath, saying, sendPath } from './send-path.ts';

const REFUSED = saying(401);

/** Carries one change out; what happens while its token is fetched or renewed happens once the change is about to leave. */
async function changeWith(path: SendPath, meanwhile: { readonly token?: () => void; readonly renew?: () => void }) {
  const { deps } = path;
  let leaving = false;
  path.passes = (point) => {
    leaving ||= point === 'mutate:before-send';
  };
  const tokens: TokenSource = {
    async token() {
      if (leaving) meanwhile.token?.();
      return deps.ads.tokens.token();
    },
    async renew() {
      path.fault = undefined;
      meanwhile.renew?.();
      return true;
    },
  };
  const intents = await path.plan(1);
  const ends = await applyIntents({ ...deps, ads: { ...deps.ads, tokens } }, CUSTOMER, intents, path.today);
  return [...ends.values()];
}

const freeze = (path: SendPath) => () => writeFileSync(join(path.folder, 'FREEZE'), 'prices are wrong\n');

describe('a change that needs a token just before sending', () => {
  it('is not sent if budgets are frozen meanwhile', async () => {
    const path = await sendPath();
    const before = path.amounts();
    const [end] = await changeWith(path, { token: freeze(path) });
    expect(end).toMatchObject({ state: 'expired', outcome: expect.stringContaining('frozen') });
    expect(path.sends()).toEqual([]);
    expect(path.amounts()).toEqual(before);
  });

  it('is not sent again if budgets are frozen while a refused token is replaced', async () => {
    const path = await sendPath();
    const before = path.amounts();
    path.fault = onChange(REFUSED);
    const [end] = await changeWith(path, { renew: freeze(path) });
    expect(end).toMatchObject({ state: 'unknown', outcome: expect.stringContaining('frozen') });
    expect(path.amounts()).toEqual(before);
  });

  it('keeps an amount that somebody set meanwhile', async () => {
    const path = await sendPath();
    path.fault = onChange(REFUSED);
    const [budget] = path.budgets;
    const setByHand = () => path.sandbox.setBudget(EUR, budget?.budgetId ?? '', micros(77_000_000n));
    const [end] = await changeWith(path, { renew: setByHand });
    expect(end).toMatchObject({ state: 'superseded' });
    expect(path.amounts()[0]).toBe(77_000_000n);
  });

  it('is made once if nothing prevents it', async () => {
    const path = await sendPath();
    path.fault = onChange(REFUSED);
    expect(await changeWith(path, {})).toMatchObject([{ state: 'applied' }]);
    expect(path.operations().filter(({ made }) => made)).toHaveLength(1);
  });
});
