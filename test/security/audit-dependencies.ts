import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { readAudit } from './read-audit.ts';

/** What runs at a user's place fails the audit; what only tries or measures it is told. */
const AUDITS = [
  { folder: '.', kind: 'the packages that run', args: ['--omit=dev'], fails: true },
  { folder: '.', kind: 'all packages, those that build and test too', args: [], fails: false },
  ...['test/browser', 'test/counterparties', 'test/mutation', 'test/nodes', 'bench/peers', 'docs/site'].map(
    (folder) => ({
      folder,
      kind: 'programs of others',
      args: [],
      fails: false,
    }),
  ),
] as const;
const USAGE =
  'usage: npm run audit:dependencies -- [--require-answer]\n' +
  'Asks the registry what is known of every package that is locked. Ends with 1 when something is of those that run, or, with --require-answer, when nobody answered.\n';
/** The registry answers within seconds or not at all. */
const WAIT_MS = 30_000;

let requireAnswer = false;
try {
  requireAnswer = parseArgs({ options: { 'require-answer': { type: 'boolean' } } }).values['require-answer'] === true;
} catch {
  process.stderr.write(USAGE);
  process.exit(2);
}

let failed = false;
for (const { folder, kind, args, fails } of AUDITS) {
  const audit = ['audit', '--json', '--package-lock-only', '--fetch-retries=0', `--fetch-timeout=${WAIT_MS / 2}`];
  const { stdout, error } = spawnSync('npm', [...audit, ...args], { cwd: folder, encoding: 'utf8', timeout: WAIT_MS });
  const reading = readAudit(error === undefined ? stdout : JSON.stringify({ message: error.message }));
  const lock = `${folder}/package-lock.json, ${kind}`;
  switch (reading.kind) {
    case 'clean':
      process.stdout.write(`${lock}: nothing is known against its ${reading.packages} packages.\n`);
      break;
    case 'found':
      failed ||= fails;
      process.stdout.write(
        `${lock}: ${reading.findings.length} known weaknesses.\n  ${reading.findings.join('\n  ')}\n`,
      );
      break;
    default:
      failed ||= requireAnswer;
      process.stdout.write(`${lock}: NOT ASKED, so nothing is known: ${reading.because}.\n`);
  }
}
process.exitCode = failed ? 1 : 0;
