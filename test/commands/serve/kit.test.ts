import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as parts from '../../../src/views/html/parts.ts';
import { SCALES, THEMES } from '../../../src/views/html/tokens.ts';
import { fillHostileState } from '../../support/hostile-state.ts';
import { htmlFindings } from '../../support/html-findings.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';
import { serveInProcess } from './serve-in-process.ts';

const CLASSES =
  'top filter steps badge good waits bad plain acts facts figures change card rows empty-state plot key bars dashed mark ends small notice problem fold ways button primary output log act find scope note';

async function pagesWith(env: Readonly<Record<string, string>>) {
  const folder = tempDir();
  await fillHostileState(join(folder, 'data', 'state.sqlite'));
  const { stdout } = await runInProcess(['serve', 'token'], { folder });
  const { ready } = await serveInProcess(folder, { PACEKEEPER_NOW: '2026-11-20T12:00:00Z', ...env });
  const read = async (path: string, headers: Readonly<Record<string, string>>) => {
    const answer = await fetch(ready.address + path, { headers: { accept: 'text/html', ...headers } });
    return { status: answer.status, html: await answer.text() };
  };
  return { read, known: { authorization: `Bearer ${stdout.trim()}` } };
}

it.each([{}, { SERVE_KIT: 'false' }])('without its setting, /kit is like an unknown page to all (%o)', async (env) => {
  const { read, known } = await pagesWith(env);
  for (const headers of [{}, known]) {
    const answer = await read('/kit', headers);
    expect(answer).toEqual(await read('/admin', headers));
    expect(answer.status).toBe(404);
  }
});

it('with its setting, /kit shows every component to those who log in, and no page links to it', async () => {
  const { read, known } = await pagesWith({ SERVE_KIT: 'true' });
  expect((await read('/kit', {})).status).toBe(401);
  const { status, html } = await read('/kit', known);
  expect([status, await htmlFindings(html)]).toEqual([200, []]);
  expect((await read('/', known)).html).not.toMatch(/"[./]*kit["?]/);
  const main = html.slice(html.indexOf('<main'));
  for (const name of [...Object.keys(THEMES.light), ...Object.keys(SCALES)].filter((one) => !/^(font|mono)$/.test(one)))
    expect(main, name).toMatch(new RegExp(`>${name}(?: \\d+px)?<`));
  const shown = [...main.matchAll(/ class="([^"]+)"/g)].flatMap(([, names = '']) => names.split(' '));
  expect(shown).toEqual(expect.arrayContaining(CLASSES.split(' ')));
  expect(main).toContain('<code>');
});

/** These give texts. */
const TEXTS = ['line', 'budgetName'];

it('a new part of pages is shown on the kit', () => {
  const source = readFileSync('src/dashboard/status/kit-page.ts', 'utf8');
  const missing = Object.keys(parts).filter(
    (name) => !TEXTS.includes(name) && !new RegExp(`\\b${name}\\(`).test(source),
  );
  expect(missing).toEqual([]);
});
