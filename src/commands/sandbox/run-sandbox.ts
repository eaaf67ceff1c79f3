import { resolve } from 'node:path';
import { DEFAULT_PASSWORD } from '../../sandbox/container/answer-container.ts';
import type { SandboxCredentials } from '../../sandbox/credentials.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox.ts';
import type { CommandApp } from '../cli/command.ts';
import type { CommonOptions } from '../cli/common-options.ts';
import { sandboxFile } from './run-inbox.ts';
import type { SandboxOptions } from './sandbox-command.ts';

const DEFAULT_PORT = 4010;

export async function runSandbox(app: CommandApp, options: SandboxOptions & CommonOptions): Promise<void> {
  const { folder, settings, clock, output, onStop } = app;
  const configured = settings.sandbox;
  const market = options.market === undefined ? configured.market : resolve(folder, options.market);
  const strict = options.strict ?? configured.strict;
  const keyFile = options.serviceAccountFile && resolve(folder, options.serviceAccountFile);
  const sandbox = await startSandbox({
    stateFile: sandboxFile(settings, options),
    clock,
    seed: options.seed ?? configured.seed,
    strict,
    manager: configured.manager,
    port: options.port ?? configured.port ?? DEFAULT_PORT,
    freshContainer: options.freshContainer ?? false,
    faults: options.fault ?? configured.fault,
    ...(market === undefined ? {} : { marketFile: market }),
    ...(keyFile === undefined ? {} : { serviceAccountFile: keyFile }),
    ...(options.webhooks === undefined ? {} : { webhookUrl: options.webhooks }),
  });
  output.stdout.write(`${settingsOf(sandbox, { ...options, strict }, keyFile).join('\n')}\n`);
  await new Promise<void>((stopped) => onStop(stopped));
  await sandbox.close();
}

function settingsOf(
  { url, market, credentials, faults }: Sandbox,
  { freshContainer, webhooks, strict }: SandboxOptions,
  keyFile: string | undefined,
): string[] {
  const { graph, container } = credentials;
  return [
    `# The sandbox listens on ${url} with the market of ${market.identity}. Press Ctrl-C to stop it.`,
    '# Put these settings in .env or the environment of another pacekeeper to use the sandbox as its live service:',
    'PACEKEEPER_TARGET=live',
    `ADS_URL=${url}`,
    ...(strict ? [`ADS_ACCESS_TOKEN=${credentials.accessToken}`] : tokensOf(credentials, faults.areOfTokens, keyFile)),
    `ADS_DEVELOPER_TOKEN=${credentials.developerToken}`,
    `MESSAGES_URL=${url}`,
    `MESSAGES_ACCOUNT_ID=${credentials.messages.accountId}`,
    `MESSAGES_USERNAME=${credentials.messages.username}`,
    `MESSAGES_PASSWORD=${credentials.messages.password}`,
    `MESSAGES_FROM=${credentials.messages.from}`,
    `MESSAGES_TO=${credentials.messages.to}`,
    `GRAPH_URL=${url}`,
    `GRAPH_ACCESS_TOKEN=${graph.accessToken}`,
    `GRAPH_BUSINESS_ACCOUNT_ID=${graph.businessAccountId}`,
    `GRAPH_PHONE_NUMBER_ID=${graph.phoneNumberId}`,
    `GRAPH_USER_ID=${graph.userId}`,
    `GRAPH_APP_SECRET=${graph.appSecret}`,
    `GRAPH_VERIFY_TOKEN=${graph.verifyToken}`,
    `CONTAINER_URL=${url}`,
    `CONTAINER_USERNAME=${container.username}`,
    `CONTAINER_PASSWORD=${freshContainer ? DEFAULT_PASSWORD : container.password}`,
    '# Put these in its pacekeeper.yaml. A day after a phone wrote, only templates arrive:',
    `# messages: { templates: { default: { content: ${credentials.messages.template} } } }`,
    `# graph: { templates: { default: { name: ${graph.template} } } }`,
    ...(webhooks === undefined ? [] : receivingOf(webhooks, credentials.messages.to.replace(/^.*:/, ''))),
  ];
}

function tokensOf(credentials: SandboxCredentials, areFetched: boolean, keyFile: string | undefined): string[] {
  if (keyFile !== undefined) return [`ADS_SERVICE_ACCOUNT_FILE=${keyFile}`, `ADS_TOKEN_URL=${credentials.tokenUrl}`];
  const fixed = [`ADS_ACCESS_TOKEN=${credentials.accessToken}`];
  const fetched = [
    `ADS_CLIENT_ID=${credentials.clientId}`,
    `ADS_CLIENT_SECRET=${credentials.clientSecret}`,
    `ADS_REFRESH_TOKEN=${credentials.refreshToken}`,
    `ADS_TOKEN_URL=${credentials.tokenUrl}`,
  ];
  const [used, other] = areFetched ? [fetched, fixed] : [fixed, fetched];
  const why = areFetched ? 'with a fixed token that is never renewed' : 'with tokens that are fetched and renewed';
  return [
    ...used,
    `# Or replace the ${used.length > 1 ? 'four lines' : 'line'} above, ${why}:`,
    ...other.map((line) => `# ${line}`),
  ];
}

function receivingOf(webhooks: string, phone: string): string[] {
  const { hostname, port } = new URL(webhooks);
  const isHere = ['127.0.0.1', 'localhost'].includes(hostname);
  return [
    `SERVE_PUBLIC_URL=${webhooks}`,
    ...(isHere ? [`SERVE_PORT=${port === '' ? '80' : port}`] : []),
    '# Put these in its pacekeeper.yaml. Rules then ask for approval, and the phone of this sandbox can approve:',
    '# automation: { mode: approve }',
    `# alerts: { approvers: { anna: "${phone}" } }`,
  ];
}
