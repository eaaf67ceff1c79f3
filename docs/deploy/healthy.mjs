// The image's health check. Exits with 0 if the container works: node healthy.mjs schedule|serve [data folder]
import { join } from 'node:path';

const [, , role = 'schedule', dataDir = '/data'] = process.argv;

/** The schedule renews its lease every half minute. A lease lasts two minutes. */
async function scheduleWorks() {
  const { default: Database } = await import('better-sqlite3');
  const file = new Database(join(dataDir, 'schedule.sqlite'), { readonly: true, fileMustExist: true });
  const expiresAt = file.prepare('SELECT expires_at FROM lease').pluck().get();
  file.close();
  return typeof expiresAt === 'string' && Date.parse(expiresAt) > Date.now();
}

async function serveWorks() {
  const answer = await fetch(`http://127.0.0.1:${process.env.SERVE_PORT ?? 4020}/health`);
  return answer.ok;
}

try {
  const works = await (role === 'serve' ? serveWorks() : scheduleWorks());
  if (!works) console.error(`pacekeeper ${role} does not work.`);
  process.exitCode = works ? 0 : 1;
} catch (error) {
  console.error(`pacekeeper ${role} does not work: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
