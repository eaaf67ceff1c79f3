import { join, resolve } from 'node:path';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import { createClock } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';

export interface SandboxCommandOptions extends CommonOptions {
  readonly port?: number;
  readonly seed?: number;
  readonly strict?: boolean;
  readonly market?: string;
}

const DEFAULT_PORT = 4010;

/** The sandbox command; ends when the process is asked to end. */
export async function runSandbox(
  options: SandboxCommandOptions,
  { folder, env, output, exit, onStop }: Process,
): Promise<void> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const configured = settings.sandbox;
  const market = options.market === undefined ? configured.market : resolve(folder, options.market);
  const dataDir = options.dataDir === undefined ? (configured.dataDir ?? settings.paths.data) : settings.paths.data;
  const sandbox = await startSandbox({
    stateFile: join(dataDir, 'sandbox.sqlite'),
    clock: createClock(settings.startAtMs),
    seed: options.seed ?? configured.seed,
    strict: options.strict ?? configured.strict,
    manager: configured.manager,
    port: options.port ?? configured.port ?? DEFAULT_PORT,
    ...(market === undefined ? {} : { marketFile: market }),
  });
  const { credentials } = sandbox;
  const lines = [
    `# The sandbox listens on ${sandbox.url} with the market of ${sandbox.market.identity}. Ctrl-C ends it.`,
    '# These settings, in .env or the environment, make it the live service of another pacekeeper:',
    'PACEKEEPER_TARGET=live',
    `ADS_URL=${sandbox.url}`,
    `ADS_ACCESS_TOKEN=${credentials.accessToken}`,
    `ADS_DEVELOPER_TOKEN=${credentials.developerToken}`,
    `MESSAGES_URL=${sandbox.url}`,
    `MESSAGES_ACCOUNT_ID=${credentials.messages.accountId}`,
    `MESSAGES_USERNAME=${credentials.messages.username}`,
    `MESSAGES_PASSWORD=${credentials.messages.password}`,
    `MESSAGES_FROM=${credentials.messages.from}`,
    `MESSAGES_TO=${credentials.messages.to}`,
  ];
  output.stdout.write(`${lines.join('\n')}\n`);
  await new Promise<void>((stopped) => onStop(stopped));
  await sandbox.close();
  exit(EXIT.done);
}
