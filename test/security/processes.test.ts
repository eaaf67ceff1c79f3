import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { tempDir } from '../support/temp-dir.ts';

const IN_FILE = 'a-developer-token-in-a-file';
const IN_ENVIRONMENT = 'a-password-in-the-environment';
/** What Node writes where a process dies and a report was asked for: arguments, title, environment, libraries, stacks. */
const REPORTED = "process.on('exit', () => process.report.writeReport('process.json'))";

async function reported() {
  const folder = tempDir();
  writeFileSync(join(folder, '.env'), `ADS_DEVELOPER_TOKEN=${IN_FILE}\n`);
  const env = {
    MESSAGES_PASSWORD: IN_ENVIRONMENT,
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(REPORTED)}"`,
  };
  const { code, stdout } = await runCli(['config', 'show'], { cwd: folder, env });
  return { code, stdout, folder, report: readFileSync(join(folder, 'process.json'), 'utf8') };
}

describe('what a process shows of itself', () => {
  it('holds no secret, neither its arguments and title nor a report of a crash', async () => {
    const { code, stdout, report } = await reported();
    expect(code).toBe(0);
    expect(stdout).toContain('set (hidden)');
    const { header } = JSON.parse(report) as { header: { commandLine: string[] } };
    expect(header.commandLine.slice(-2)).toEqual(['config', 'show']);
    expect(report).not.toContain(IN_FILE);
    expect(report).not.toContain(IN_ENVIRONMENT);
  });

  it('is no core and no report that nobody asked for', async () => {
    const folder = tempDir();
    const { code } = await runCli(['report', '--config', 'missing.yaml'], { cwd: folder });
    expect(code).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });
});
