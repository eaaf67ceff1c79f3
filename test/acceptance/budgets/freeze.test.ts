import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../src/commands/cli/ask.ts';
import { runProgram } from '../../../src/program.ts';
import { createProduct, isChange, isValidation, type Product } from '../../support/product.ts';
import { byEngine, writerAt } from '../../support/state.ts';

const WHY = ['--why', 'prices are wrong'];
const fileOf = (product: Product) => join(product.folder, 'data', 'FREEZE');
const intents = (product: Product) => product.rows('SELECT state, code FROM budget_intent ORDER BY id');
const trail = (product: Product) =>
  product.rows("SELECT kind, actor FROM budget_event WHERE kind LIKE '%fr%z%' ORDER BY id");

/** `undefined` for somebody who breaks the question off. */
async function freezeOnTerminal({ folder, env }: Product, answer: string | undefined) {
  const output = { stdout: { write: () => undefined }, stderr: { write: () => undefined }, noColor: true };
  const text = async () => {
    if (answer === undefined) throw Object.assign(new Error('no more'), { name: 'ExitPromptError' });
    return answer;
  };
  let code: number | undefined;
  const process = {
    folder,
    env: env(),
    output,
    userName: 'anna',
    interactive: true,
    exit: (ended: number) => {
      code = ended;
    },
    makeAsk: async () => ({ text }) as unknown as Ask,
    runBeside: () => ({ ended: Promise.resolve(null), stop: () => undefined }),
    readBeside: async () => ({ exitCode: null, text: '' }),
    onStop: () => undefined,
  };
  await runProgram(['freeze'], '0.0.0', process);
  return { code };
}

describe('pacekeeper freeze', () => {
  it('stops a running report: validated changes expire unsent, and the run exits with 0', async () => {
    const product = await createProduct();
    product.fault = (request) => {
      // The service is held here: it answers the validation only when the other process has frozen and ended.
      if (isValidation(request)) expect(product.cliNow(['freeze', ...WHY, '--by', 'Berta']).status).toBe(0);
      return undefined;
    };
    const { code, stdout } = await product.run(['report']);
    expect(code).toBe(0);
    expect(product.mutates().map(({ validateOnly }) => validateOnly)).toEqual([true]);
    expect(product.amount()).toBe(60_000_000n);
    expect(intents(product)).toEqual([{ state: 'expired', code: 'FROZEN' }]);
    expect(product.events()).toEqual(['planned', 'frozen', 'validated', 'expired']);
    expect(stdout).toContain('1 change not made (not sent 1×). --verbose shows why.');
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /No budget is changed: frozen by Berta since \S+ \S+ UTC: prices are wrong\. /,
    );
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
  });

  it('appears in the first line of every message while it lasts, with a reason without markup or links', async () => {
    const product = await createProduct();
    await product.run(['report']);
    await product.run(['freeze', '--why', '*see* evil.example']);
    expect((await product.run(['alerts', 'test'])).code).toBe(0);
    await product.run(['unfreeze', ...WHY]);
    expect((await product.run(['alerts', 'test'])).code).toBe(0);
    const [frozen, free] = product.sandbox.messages().slice(-2);
    expect(frozen?.body).toMatch(
      /^No budget is changed: frozen by anna since \S+ \S+ UTC: ∗see∗ evil․example\. Run pacekeeper unfreeze to allow changes again\.\n.+/,
    );
    expect(free?.body).not.toContain('No budget is changed');
  });

  it('by a file that appears between validation and change stops the run, too', async () => {
    const product = await createProduct();
    product.fault = (request) => {
      if (isValidation(request)) writeFileSync(fileOf(product), 'stop\n');
      return undefined;
    };
    expect((await product.run(['report'])).code).toBe(0);
    expect(product.sends()).toEqual([]);
    expect(intents(product)).toEqual([{ state: 'expired', code: 'FROZEN' }]);
  });

  it('after the change was sent does not undo it, and its answer is recorded', async () => {
    const product = await createProduct();
    product.fault = (request) => {
      if (isChange(request)) expect(product.cliNow(['freeze', ...WHY]).status).toBe(0);
      return undefined;
    };
    expect((await product.run(['report'])).code).toBe(0);
    expect(intents(product)).toEqual([{ state: 'applied', code: null }]);
    expect(product.amount()).toBe(51_000_000n);
  });

  it('stops changes of every later run until unfreeze; reading and alerts continue; both are recorded', async () => {
    const product = await createProduct();
    const { code, stdout } = await product.run(['freeze', ...WHY]);
    expect([code, stdout]).toEqual([
      0,
      'Frozen by anna: prices are wrong. No budget changes until you run pacekeeper unfreeze.\n',
    ]);
    const held = await product.json(['report']);
    expect([held.code, held.value.failures]).toEqual([0, []]);
    expect(held.value.slices[0].rows).toBeGreaterThan(0);
    expect(held.value.decisions).toMatchObject([
      {
        state: 'refused',
        code: 'FROZEN',
        intent_id: null,
        detail: expect.stringMatching(/^Budget changes are frozen by anna since .*: prices are wrong\.$/),
      },
    ]);
    expect(product.mutates()).toEqual([]);
    const lifted = await product.run(['unfreeze', '--why', 'right again', '--by', 'Berta']);
    expect(lifted.stdout).toMatch(
      /^Budgets may be changed again\.\nIt was frozen by anna since \S+ \S+ UTC: prices are wrong\.\n$/,
    );
    expect((await product.run(['report'])).code).toBe(0);
    expect(product.amount()).toBe(51_000_000n);
    expect(trail(product)).toEqual([
      { kind: 'frozen', actor: 'anna' },
      { kind: 'unfrozen', actor: 'Berta' },
    ]);
  });

  it('works before the first run, and as JSON', async () => {
    const product = await createProduct();
    const { code, value } = await product.json(['freeze', ...WHY]);
    expect(code).toBe(0);
    expect(value).toEqual({ frozen: true, recorded: true, file: false, sentences: [expect.any(String)] });
    expect((await product.json(['budgets', 'list'])).value.frozen).toMatch(/^frozen by anna since /);
    expect((await product.json(['report'])).value.decisions[0].code).toBe('FROZEN');
  });

  it('writes the file FREEZE while another process writes, says so, and freezes at once', async () => {
    const product = await createProduct();
    await product.run(['report', '--dry-run']);
    const commit = writerAt(product.place);
    const { code, value } = await product.json(['freeze', ...WHY]);
    commit();
    expect(code).toBe(0);
    expect(value).toMatchObject({ frozen: true, recorded: false, file: true });
    expect(value.sentences[1]).toMatch(
      /^The freeze cannot be recorded as an event now\. Instead, the file .*FREEZE freezes budgets at once\.$/,
    );
    expect(readFileSync(fileOf(product), 'utf8')).toBe('prices are wrong (anna)\n');
    const held = await product.json(['report']);
    expect(held.value.decisions[0]).toMatchObject({ code: 'FROZEN' });
    expect(held.value.decisions[0].detail).toContain('prices are wrong (anna)');
    const kind = byEngine({ sqlite: 'freeze_file_found', postgres: 'frozen' });
    expect(trail(product)).toEqual([{ kind, actor: expect.stringMatching(/^the file FREEZE/) }]);
  });

  it.each<[sentence: string, args: string[], words: RegExp]>([
    ['with an empty reason', ['freeze', '--why', ''], /The reason is empty\. The audit trail needs one\./],
    ['with a reason of blanks', ['freeze', '--why', ' \t\n'], /The reason is empty/],
    [
      'with a reason beyond any sentence',
      ['freeze', '--why', 'x'.repeat(501)],
      /--why is too long: found 501 characters, expected at most 500/,
    ],
    ['with a name of nothing', ['freeze', ...WHY, '--by', ' '], /No name is known for the audit trail/],
    [
      'with a name beyond any name',
      ['freeze', ...WHY, '--by', 'x'.repeat(81)],
      /--by is too long: found 81 characters, expected at most 80/,
    ],
    ['to lift, without a reason', ['unfreeze'], /required option '--why <reason>' not specified/],
  ])('%s exits with 2 and does nothing', async (_sentence, args, words) => {
    const product = await createProduct();
    const { code, stdout, stderr } = await product.run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
    expect(existsSync(join(product.folder, 'data'))).toBe(false);
  });

  it('needs no reason', async () => {
    const product = await createProduct();
    const { code, stdout } = await product.run(['freeze']);
    expect([code, stdout]).toEqual([
      0,
      'Frozen by anna: no reason given. No budget changes until you run pacekeeper unfreeze.\n',
    ]);
    expect((await product.run(['report'])).code).toBe(0);
    expect(product.amount()).toBe(60_000_000n);
  });

  it.each([
    ['the shop is down', ['no reason given', 'the shop is down']],
    ['', ['no reason given']],
    [undefined, ['no reason given']],
  ])('asks for the reason on a terminal when it is frozen already: answered %j', async (answer, reasons) => {
    const product = await createProduct();
    const { code } = await freezeOnTerminal(product, answer);
    expect(code).toBe(0);
    const why = product.rows("SELECT detail ->> 'why' AS why FROM budget_event ORDER BY id").map((row) => row.why);
    expect(why).toEqual(reasons);
  });

  it('takes the name from --by if the person has no other name', async () => {
    const product = await createProduct();
    const nobody = { userName: '' };
    expect((await product.run(['freeze', ...WHY], nobody)).code).toBe(2);
    expect((await product.run(['freeze', ...WHY, '--by', 'cron'], nobody)).code).toBe(0);
    expect(trail(product)).toEqual([{ kind: 'frozen', actor: 'cron' }]);
  });

  it('keeps a reason on one line, whatever is in it', async () => {
    const product = await createProduct();
    const { stdout } = await product.run(['freeze', '--why', 'a\n\u001b[31mred\u0007 line']);
    expect(stdout).toBe('Frozen by anna: a [31mred line. No budget changes until you run pacekeeper unfreeze.\n');
  });
});

describe('the file FREEZE', () => {
  it('freezes, in a database also after it is gone, and that is recorded', async () => {
    const product = await createProduct();
    mkdirSync(join(product.folder, 'data'));
    writeFileSync(fileOf(product), 'the shop is down\nmore');
    const held = await product.json(['report']);
    const detail = 'Budget changes are frozen by the file FREEZE: the shop is down.';
    expect([held.code, held.value.decisions[0].detail]).toEqual([0, detail]);
    rmSync(fileOf(product));
    expect((await product.run(['report'])).code).toBe(0);
    expect(product.amount()).toBe(byEngine({ sqlite: 51_000_000n, postgres: 60_000_000n }));
    const recorded = byEngine({ sqlite: ['freeze_file_found', 'freeze_file_gone'], postgres: ['frozen'] });
    expect(trail(product).map(({ kind }) => kind)).toEqual(recorded);
  });

  it('is removed by unfreeze, also if a person froze, too', async () => {
    const product = await createProduct();
    await product.run(['freeze', ...WHY]);
    writeFileSync(fileOf(product), 'x');
    const { value } = await product.json(['unfreeze', '--why', 'over']);
    expect(value).toMatchObject({ frozen: false, recorded: true, file: false });
    expect(existsSync(fileOf(product))).toBe(false);
    await product.run(['report']);
    expect(product.amount()).toBe(51_000_000n);
  });
});

describe('pacekeeper unfreeze', () => {
  it('says so if nothing is frozen, exits with 0 and records no event', async () => {
    const product = await createProduct();
    await product.run(['report', '--dry-run']);
    const { code, stdout } = await product.run(['unfreeze', '--why', 'over']);
    expect([code, stdout]).toEqual([0, 'Nothing was frozen.\n']);
    expect(product.events()).toEqual(['would_change']);
  });

  it('lifts nothing while another process writes, says so and exits with 1', async () => {
    const product = await createProduct();
    await product.run(['freeze', ...WHY]);
    const commit = writerAt(product.place);
    const { code, stdout, stderr } = await product.run(['unfreeze', '--why', 'over']);
    commit();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/error: Cannot unfreeze: a run is writing to the database\. Try again in a moment\./);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect((await product.json(['budgets', 'list'])).value.frozen).toMatch(/^frozen by anna/);
  });
});
