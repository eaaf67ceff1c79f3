import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

/**
 * `npm run pictures` writes the pictures of docs. docs/shipped-rules.md shows each shipped rule alone on the simulated
 * market: equal rules give equal pictures, byte for byte. The report page is that of the sandbox. It needs chromium, and
 * the Debian package fonts-noto-cjk for the Japanese names.
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
  run(process.execPath, [resolve('dist/main.js'), ...about, '--svg', path]);
  rmSync(alone, { recursive: true });
  process.stdout.write(`${path}\n`);
}

const SCREENS = [
  { name: 'report', size: '1400,1250', dark: false },
  { name: 'report-dark', size: '1400,900', dark: true },
  { name: 'report-phone', size: '375,812', dark: false },
];
const CHROMIUM = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
);
if (CHROMIUM === undefined) throw new Error('Found no chromium. Install it, or set CHROMIUM=/path/to/it.');
const data = mkdtempSync(join(tmpdir(), 'pacekeeper-picture-'));
run(process.execPath, [resolve('dist/main.js'), 'report', '--data-dir', data], {
  PACEKEEPER_NOW: '2026-11-20T12:00:00Z',
});
for (const { name, size, dark } of SCREENS) {
  const path = resolve(FOLDER, `${name}.png`);
  // 0 is dark, 1 is light.
  const scheme = `--blink-settings=preferredColorScheme=${dark ? 0 : 1}`;
  const options = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', scheme];
  run(CHROMIUM, [...options, `--window-size=${size}`, `--screenshot=${path}`, `file://${data}/report.html`]);
  process.stdout.write(`${join(FOLDER, `${name}.png`)}\n`);
}
rmSync(data, { recursive: true });

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
}
