import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const pathOf = (script: string): string => fileURLToPath(new URL(`./${script}.js`, import.meta.url));

/** Runs another built file of this folder to its end and reads the JSON it prints. Rejects when it fails. */
export async function runChild<Result>(script: string, argument: string): Promise<Result> {
  const child = spawn(process.execPath, [pathOf(script), argument], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) printed += text;
  const [code, signal] = await ended;
  if (code !== 0) throw new Error(`${script} failed: found ${signal ?? `exit status ${code}`}, expected 0.`);
  return JSON.parse(printed) as Result;
}

/** Serves the file from a process of its own while `work` runs; `work` is given the address. */
export async function withServer<Result>(file: string, work: (url: string) => Promise<Result>): Promise<Result> {
  const server = spawn(process.execPath, [pathOf('serve-response'), file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'close');
  try {
    const [address] = await Promise.race([once(server.stdout.setEncoding('utf8'), 'data'), ended]);
    if (typeof address !== 'string') throw new Error('serve-response ended before it printed its address.');
    return await work(address.trim());
  } finally {
    server.stdin.end();
    await ended;
  }
}
