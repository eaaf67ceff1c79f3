import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The path of a built process of this folder: `extract` is `extract-child.js`. */
export const childPath = (name: string): string => fileURLToPath(new URL(`./${name}-child.js`, import.meta.url));

/** Runs a process of this folder to its end and reads the JSON it prints. Rejects when it fails. */
export async function runChild<Result>(name: string, job: unknown): Promise<Result> {
  const child = spawn(process.execPath, [childPath(name), JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) printed += text;
  const [code, signal] = await ended;
  if (code !== 0) throw new Error(`${name}-child failed: found ${signal ?? `exit status ${code}`}, expected 0.`);
  return JSON.parse(printed) as Result;
}

/** Runs a server of this folder while `work` does; `work` is given the address that it printed. */
export async function withServer<Result>(
  name: string,
  job: unknown,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = spawn(process.execPath, [childPath(name), JSON.stringify(job)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(server, 'close');
  try {
    const [address] = await Promise.race([once(server.stdout.setEncoding('utf8'), 'data'), ended]);
    if (typeof address !== 'string') throw new Error(`${name}-child ended before it printed its address.`);
    return await work(address.trim());
  } finally {
    server.stdin.end();
    await ended;
  }
}
