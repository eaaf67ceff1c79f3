import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

/**
 * `npm run pictures`: lets each shipped rule loose alone on the simulated market and writes its picture, which
 * docs/shipped-rules.md shows. Equal rules give equal pictures, byte for byte.
 */
const FOLDER = 'docs/pictures';
/** Rules that have something to say in another account than the market's first. */
const CUSTOMERS: ReadonlyMap<string, string> = new Map([
  ['feed-limited-winners', '6193047821'],
  ['budget-unused', '6193047821'],
]);

mkdirSync(FOLDER, { recursive: true });
for (const file of readdirSync('rules').filter((name) => name.endsWith('.yaml'))) {
  const name = basename(file, '.yaml');
  const alone = mkdtempSync(join(tmpdir(), 'pacekeeper-picture-'));
  cpSync(join('rules', file), join(alone, file));
  const path = join(FOLDER, `${name}.svg`);
  const customer = CUSTOMERS.get(name);
  const about = [
    'simulate',
    '--days',
    '90',
    '--rules',
    alone,
    ...(customer === undefined ? [] : ['--customer', customer]),
  ];
  const { status, stderr } = spawnSync(process.execPath, [resolve('dist/main.js'), ...about, '--svg', path], {
    encoding: 'utf8',
  });
  rmSync(alone, { recursive: true });
  if (status !== 0) throw new Error(`pacekeeper ${about.join(' ')} ended with ${status}: ${stderr}`);
  process.stdout.write(`${path}\n`);
}
