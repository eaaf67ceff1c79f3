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

describe('data visible in a process', () => {
  it('has no secret, neither in arguments and title nor in a crash report', async () => {
    const { code, stdout, report } = await reported();
    expect(code).toBe(0);
    expect(stdout).toContain('set (hidden)');
    const { header } = JSON.parse(report) as { header: { commandLine: string[] } };
    expect(header.commandLine.slice(-2)).toEqual(['config', 'show']);
    expect(report).not.toContain(IN_FILE);
    expect(report).not.toContain(IN_ENVIRONMENT);
  });

  it('has no unrequested core dump or report', async () => {
    const folder = tempDir();
    const { code } = await runCli(['report', '--config', 'missing.yaml'], { cwd: folder });
    expect(code).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['an uncaught exception', 'setImmediate(() => { throw lost; })'],
    ['an unhandled rejection', 'Promise.reject(lost)'],
  ])('has no secret in the text or cause of %s', async (_, loses) => {
    const folder = tempDir();
    writeFileSync(join(folder, '.env'), `ADS_DEVELOPER_TOKEN=${IN_FILE}\n`);
    // As soon as the program is at work, which it says in its first line.
    const lost = `new Error('${IN_FILE}', { cause: new Error('${IN_ENVIRONMENT}') })`;
    const hook = `const write = process.stdout.write; process.stdout.write = function (...text) { process.stdout.write = write; const lost = ${lost}; ${loses}; return write.apply(this, text); };`;
    const { code, stderr } = await runCli(['sandbox', '--port', '0'], {
      cwd: folder,
      env: {
        MESSAGES_PASSWORD: IN_ENVIRONMENT,
        NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(hook)}"`,
      },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .*redacted/);
    expect(stderr).not.toContain(IN_FILE);
    expect(stderr).not.toContain(IN_ENVIRONMENT);
  });

  it('has no debugger after the log-rotation signal, because any user could read memory through it', async () => {
    const { code, stderr } = await runCli(['serve'], {
      cwd: tempDir(),
      env: { SERVE_PORT: '0' },
      onStart: (child) => {
        child.stdout?.once('data', () => {
          child.kill('SIGUSR1');
          child.kill('SIGTERM');
        });
      },
    });
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/debugg|inspector/i);
  });
});
