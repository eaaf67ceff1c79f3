import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { Log } from '../../domain/log.ts';
import { createRedact } from '../../http/redact.ts';
import { keepTogether } from '../../inbox/keep-together.ts';
import { type Inbox, openInbox } from '../../inbox/open-inbox.ts';
import { inboxPath } from '../../jobs/handle-inbox.ts';
import { sandboxCredentials } from '../../sandbox/credentials.ts';
import { startServer } from '../../server/start-server.ts';
import { type WebhookSecrets, webhooksOn } from '../../server/webhooks-on.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { createLog, withInstants } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import { handleArrivals } from './handle-arrivals.ts';
import { handleOnce } from './handle-once.ts';

export interface ServeCommandOptions extends CommonOptions {
  readonly once?: boolean;
}

/** The serve command; ends when the process is asked to end, after what is being handled. */
export async function runServe(options: ServeCommandOptions, process: Process): Promise<void> {
  const { folder, env, output, exit } = process;
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const log = createLog(withInstants(output, clock), createRedact(settings.secrets));
  const inbox = openInbox(inboxPath(settings), clock);
  try {
    if (options.once) {
      const waitsOn = await handleOnce(settings, { clock, log, pauses: systemPauses }, inbox);
      exit(waitsOn ? EXIT.failed : EXIT.done);
    } else {
      await serve(settings, options, process, log, inbox);
      exit(EXIT.done);
    }
  } finally {
    inbox.close();
  }
}

/**
 * Receives until it is asked to end. What arrives is handled by a process of its own: nothing that takes a while there, such as
 * publishing or waiting for a database, keeps a provider waiting here.
 */
async function serve(
  settings: Settings,
  options: ServeCommandOptions,
  { output, onStop, runBeside }: Process,
  log: Log,
  inbox: Inbox,
): Promise<void> {
  const { host, port, publicUrl } = settings.serve;
  const secrets = secretsOf(settings);
  const arrivals = handleArrivals(async () => (await runBeside(onceArgs(options))) !== EXIT.done);
  const server = await startServer({
    ...{ host, port, publicUrl, secrets, log },
    keep: keepTogether(inbox, () => arrivals.wake()),
    countWaiting: () => inbox.countWaiting(),
  });
  const stopped = new Promise<void>((stop) => onStop(stop));
  warnOfAddress(settings, log);
  output.stdout.write(`${JSON.stringify({ address: server.address, webhooks: webhooksOn(secrets) })}\n`);
  log.info(`It listens on ${server.address}.`);
  // What arrived before and was not handled, or was and is not told.
  arrivals.wake();
  await stopped;
  await server.close();
  await arrivals.stop();
}

function onceArgs({ config, queries, rules, dataDir }: CommonOptions): string[] {
  const named = { '--config': config, '--queries': queries, '--rules': rules, '--data-dir': dataDir };
  const given = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return ['serve', '--once', ...given];
}

/** Those of the settings; on the sandbox its own where none are set. */
function secretsOf({ serve: { secrets }, target }: Settings): WebhookSecrets {
  if (target.kind === 'live') return secrets;
  const { graph, messages } = sandboxCredentials('');
  return {
    graphApp: secrets.graphApp ?? graph.appSecret,
    graphVerify: secrets.graphVerify ?? graph.verifyToken,
    messages: secrets.messages ?? messages.password,
  };
}

/** What is listened on everywhere is reached, and signed, under another name. */
function warnOfAddress({ serve: { host, publicUrl } }: Settings, log: Log): void {
  if (publicUrl !== undefined || !/^(0\.0\.0\.0|::)$/.test(host)) return;
  log.warn(`SERVE_HOST is ${host} and SERVE_PUBLIC_URL is not set: no signature of /webhooks/messages will be right.`);
}
