import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSoakOptions } from './soak/read-soak-options.ts';
import { runSoak } from './soak/run-soak.ts';
import { lineOf, reportSoak } from './soak/soak-report.ts';

/**
 * `npm run soak -- [--accounts 1000] [--hours 24] [--latency-ms 50] [--webhooks 200] [--page FILE]`: prints what each hour left, and at the
 * end how flat each curve is. Ends with status 1 when one is not, or a run fails, and with 2 for options that are none. The page
 * and its pictures are written by a soak of full size, or where a page is named.
 */
const USAGE =
  'usage: npm run soak -- [--accounts N] [--hours N, at least 4] [--latency-ms N] [--webhooks N] [--page FILE]';

const read = readSoakOptions(process.argv.slice(2));
if (read.kind === 'wrong') {
  process.stderr.write(`error: ${read.message}\n${USAGE}\n`);
  process.exitCode = 2;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-soak-'));
  const stop = () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    buildProgram();
    const hours = await runSoak(folder, read.sizes, (hour) => process.stdout.write(`${lineOf(hour)}\n`));
    process.exitCode = reportSoak(hours, read) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of what it soaks, and not before the options are right: who runs the program beside would find other parts of it. */
function buildProgram(): void {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`Building the program: found exit code ${status}, expected 0.`);
}
