import { watchFreeze } from '../../app.ts';
import type { WebhookDeps } from '../../channels/channel.ts';
import { CHANNELS, webhookPath } from '../../channels/channels.ts';
import { webhookSecrets } from '../../config/live-areas.ts';
import { packageVersion } from '../../config/package-root.ts';
import type { Settings } from '../../config/settings.ts';
import type { TokenStore } from '../../dashboard/server/access-tokens.ts';
import { webhooksOn } from '../../dashboard/server/route.ts';
import { startServer } from '../../dashboard/server/start-server.ts';
import type { ScheduleHealth } from '../../dashboard/status/page-source.ts';
import { pagesOfThisThread } from '../../dashboard/status/page-work.ts';
import type { Log } from '../../domain/ports.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { pauseUnless } from '../../engine/process-time.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { sandboxCredentials } from '../../sandbox/credentials.ts';
import type { Inbox } from '../../storage/inbox/inbox.ts';
import { keepTogether } from '../../storage/inbox/keep-together.ts';
import type { CommandApp } from '../cli/command.ts';
import { type CommonOptions, pathArgs } from '../cli/common-options.ts';
import { folderMark } from '../cli/folder-mark.ts';
import { openLog } from '../cli/open-log.ts';
import { withInstants } from '../cli/output.ts';
import { EXIT, errorSentences } from '../cli/print-error.ts';
import { stopSignal } from '../cli/process.ts';
import { COMMAND_MS } from '../mcp/run-mcp.ts';
import { keepWatch } from '../watch/keep-watch.ts';
import { exploreChildSource } from './explore-child-source.ts';
import { handleBeside } from './handle-arrivals.ts';
import { handleOnce } from './handle-once.ts';
import { pageWorkerSource } from './page-worker-source.ts';
import { openTokens } from './run-serve-token.ts';
import type { ServeOptions } from './serve-command.ts';

export async function runServe(app: CommandApp, options: ServeOptions & CommonOptions): Promise<number> {
  const { settings, clock, output } = app;
  const log = settings.log.format === 'json' ? app.log : await openLog(withInstants(output, clock), settings, clock);
  const engine = await engineOf(settings);
  await engine.upgrade({ clock, log });
  const inbox = await engine.openInbox(clock);
  try {
    if (options.once) {
      const waitsOn = await handleOnce(settings, { clock, log, stop: stopSignal(app, log) }, inbox);
      return waitsOn ? EXIT.failed : EXIT.done;
    }
    const endWatch = watchFreeze(settings, { clock, log });
    const tokens = await openTokens(settings, { clock, log });
    await serve({ ...app, log }, options, inbox, tokens).finally(() => Promise.all([tokens.close(), endWatch()]));
    return EXIT.done;
  } finally {
    await inbox.close();
  }
}

async function serve(app: CommandApp, options: CommonOptions, inbox: Inbox, tokens: TokenStore): Promise<void> {
  const { settings, clock, log, output, onStop, runBeside, readBeside, pageWorker, exploreProgram } = app;
  const { host, port, publicUrl, trustProxy, kit, links } = settings.serve;
  const secrets = secretsOf(settings);
  const source = pageWorker ? pageWorkerSource(pageWorker, settings) : pagesOfThisThread({ settings, clock });
  const { explored } = await engineOf(settings);
  const explore = exploreProgram && exploreChildSource(exploreProgram, explored);
  // Programs must not keep people waiting.
  const linkRows = links ? exploreProgram && exploreChildSource(exploreProgram, explored) : undefined;
  const agentRows = exploreProgram && exploreChildSource(exploreProgram, explored);
  const watch = keepWatch(app, options, log);
  const arrivals = handleBeside(() => runBeside(onceArgs(options)), pauseUnless);
  const server = await startServer({
    host,
    port,
    publicUrl,
    trustProxy,
    secrets,
    log,
    folder: folderMark(settings),
    pages: {
      source,
      explore,
      linkRows,
      agents: {
        settings,
        source,
        explore: agentRows,
        runCommand: async (args) =>
          redactTexts(await readBeside([...args, ...pathArgs(options)], COMMAND_MS), settings),
        version: packageVersion(),
      },
      tokens,
      nowMs: () => clock.now(),
      pause: pauseUnless,
      hasKit: kit,
      runAct: async (args) => redactTexts(await readBeside([...args, ...pathArgs(options)]), settings),
      pictureKey: settings.alerts.pictures ? (settings.serve.pictureKey ?? secrets.MESSAGES_PASSWORD) : undefined,
    },
    schedule: () => soon(source.schedule()),
    keep: keepTogether(inbox, () => arrivals.wake()),
    countWaiting: () => inbox.countWaiting(),
  });
  // Even after an error, the server must stop before the inbox is closed.
  try {
    const stopped = new Promise<void>((stop) =>
      onStop(() => {
        onStop(() => arrivals.kill());
        stop();
      }),
    );
    warnOfAddress(settings, log);
    output.stdout.write(`${JSON.stringify({ address: server.address, webhooks: webhooksOn(secrets) })}\n`);
    log.info(`Listening on ${server.address}.`);
    await tellOfPages(settings, server.address, log, tokens);
    arrivals.wake();
    await stopped;
  } finally {
    const handled = Promise.all([arrivals.stop(), watch.end()]);
    explore?.close();
    linkRows?.close();
    agentRows?.close();
    // Without `source.close`, the server would wait for the current page.
    await Promise.all([server.close(), source.close()]);
    await handled;
  }
}

const HEALTH_WAIT_MS = 1000;

/** A health check must not wait for a slow page. */
async function soon(health: Promise<ScheduleHealth>): Promise<ScheduleHealth> {
  const known = new AbortController();
  const late = pauseUnless(known.signal, HEALTH_WAIT_MS).then((): ScheduleHealth => 'unknown');
  const told = await Promise.race([health.catch((): ScheduleHealth => 'unknown'), late]);
  known.abort();
  return told;
}

/** Never throws, because webhooks work without tokens. */
async function tellOfPages(settings: Settings, address: string, log: Log, tokens: TokenStore): Promise<void> {
  try {
    if ((await tokens.read()).length > 0) log.info(`The dashboard is at ${settings.serve.publicUrl ?? address}/.`);
    else log.info('No dashboard: no token exists. Run pacekeeper serve token to create one.');
  } catch (error) {
    log.warn(`No dashboard: ${errorSentences(error)}`);
  }
}

function onceArgs(options: CommonOptions): string[] {
  return ['serve', '--once', ...pathArgs(options)];
}

/** On the sandbox, those that are not set are the simulated services' own. */
function secretsOf(settings: Settings): WebhookDeps['secrets'] {
  const secrets = webhookSecrets(settings);
  if (settings.target === 'live') return secrets;
  const simulated = sandboxCredentials('');
  const own = Object.assign({}, ...CHANNELS.map(({ webhook }) => webhook?.rehearsedSecrets(simulated)));
  return { ...own, ...Object.fromEntries(Object.entries(secrets).filter(([, secret]) => secret !== undefined)) };
}

/** Without the correct public address, all signatures are invalid. */
function warnOfAddress({ serve: { host, publicUrl } }: Settings, log: Log): void {
  if (publicUrl !== undefined || !/^(0\.0\.0\.0|::)$/.test(host)) return;
  log.warn(
    `SERVE_HOST is ${host} and SERVE_PUBLIC_URL is not set: all signatures of ${webhookPath('messages')} will be invalid.`,
  );
}
