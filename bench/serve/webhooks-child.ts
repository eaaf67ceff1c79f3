import { join } from 'node:path';
import { fastify } from 'fastify';
import { startServer } from '../../src/dashboard/server/start-server.ts';
import { keepTogether } from '../../src/storage/inbox/keep-together.ts';
import { openInbox } from '../../src/storage/inbox/open-inbox.ts';
import { toldLog } from '../../test/support/told-log.ts';
import { readJob } from '../measurement.ts';
import { WEBHOOK_SECRETS } from './send-webhooks.ts';

/** `webhooks-child.js {side, folder}`: receives webhooks as `serve` does, or as a bare route that looks at nothing. */
const { side, folder } = readJob<{ readonly side: 'ours' | 'bare'; readonly folder: string }>();
process.stdout.write(`${side === 'ours' ? await ours() : await bare()}\n`);
process.stdin.resume().on('end', () => process.exit(0));

async function ours(): Promise<string> {
  const inbox = openInbox(join(folder, 'inbox.sqlite'), { now: () => Date.now() });
  const { address } = await startServer({
    host: '127.0.0.1',
    port: 0,
    publicUrl: undefined,
    secrets: WEBHOOK_SECRETS,
    keep: keepTogether(inbox, () => undefined),
    countWaiting: () => inbox.countWaiting(),
    log: toldLog({ warn: (line) => process.stderr.write(`${line}\n`) }),
  });
  return address;
}

async function bare(): Promise<string> {
  const server = fastify();
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.post('/webhooks/*', async () => ({ received: true }));
  return server.listen({ host: '127.0.0.1', port: 0 });
}
