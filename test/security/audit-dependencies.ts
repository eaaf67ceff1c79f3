import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { readAudit } from './read-audit.ts';
import { shippedPackages } from './shipped-packages.ts';

const FOLDERS = [
  '.',
  'test/browser',
  'test/counterparties',
  'test/mutation',
  'test/nodes',
  'test/stacks',
  'bench/peers',
  'docs/site',
];
const USAGE =
  'usage: npm run audit:dependencies -- [--require-answer]\n' +
  'Asks the registry what is known of every package that is locked. Ends with 1 if a package that reaches users has a known weakness, or, with --require-answer, when nobody answered.\n';
/** The registry answers within seconds or not at all. */
const WAIT_MS = 30_000;

let requireAnswer = false;
try {
  requireAnswer = parseArgs({ options: { 'require-answer': { type: 'boolean' } } }).values['require-answer'] === true;
} catch {
  process.stderr.write(USAGE);
  process.exit(2);
}

const shipped = new Set(shippedPackages().map(({ name }) => name));
let failed = false;
for (const folder of FOLDERS) {
  const args = ['audit', '--json', '--package-lock-only', '--fetch-retries=0', `--fetch-timeout=${WAIT_MS / 2}`];
  const { stdout, error } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: WAIT_MS });
  const reading = readAudit(error === undefined ? stdout : JSON.stringify({ message: error.message }));
  const lock = `${folder}/package-lock.json`;
  switch (reading.kind) {
    case 'clean':
      process.stdout.write(`${lock}: nothing is known against its ${reading.packages} packages.\n`);
      break;
    case 'found': {
      // The other folders hold programs of others, which only test or measure ours.
      const reachesUsers = folder === '.' ? reading.findings.filter(({ name }) => shipped.has(name)) : [];
      failed ||= reachesUsers.length > 0;
      const lines = reading.findings.map((finding) =>
        reachesUsers.includes(finding) ? `${finding.text} REACHES USERS` : finding.text,
      );
      process.stdout.write(`${lock}: ${lines.length} known weaknesses.\n  ${lines.join('\n  ')}\n`);
      break;
    }
    default:
      failed ||= requireAnswer;
      process.stdout.write(`${lock}: NOT ASKED, so nothing is known: ${reading.because}.\n`);
  }
}
process.exitCode = failed ? 1 : 0;
