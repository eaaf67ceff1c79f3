import { existsSync } from 'node:fs';
import { channelNamed } from '../../channels/channels.ts';
import { liveAreas, webhookSecrets } from '../../config/live-areas.ts';
import type { Settings } from '../../config/settings.ts';
import { sandboxCredentials } from '../../sandbox/credentials.ts';
import { digitsOf, type PhoneChannel } from '../../sandbox/phones.ts';
import { inboundWebhook, receiverBelow, type Speaker, speakerOf } from '../../sandbox/webhooks/compose-webhook.ts';
import { postWebhook, type WebhookAnswer } from '../../sandbox/webhooks/webhooks.ts';
import { createRedact } from '../../services/http/redact.ts';
import { oneLine } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import type { CommonOptions } from '../cli/common-options.ts';
import { harmless } from '../cli/output.ts';
import { EXIT } from '../cli/print-error.ts';
import { sandboxFile, withSandboxStore } from './run-inbox.ts';
import type { ReplyOptions } from './sandbox-command.ts';

export async function runReply(app: CommandApp, options: ReplyOptions & CommonOptions): Promise<number> {
  const { settings, output } = app;
  const { text, channel, from = sandboxCredentials('').messages.to } = options;
  const to = options.to ?? settings.serve.publicUrl ?? localAddress(settings.serve);
  // The public address of the receiver is part of the signature.
  const receiver = receiverBelow(channel, to, settings.serve.publicUrl ?? to);
  const speaker = speakerFor(settings);
  const nowMs = app.clock.now();
  // The sandbox then sends free text to this phone for a day.
  const file = sandboxFile(settings, options);
  if (existsSync(file)) withSandboxStore(file, (store) => store.phoneWrote(channel, digitsOf(from), nowMs));
  const answer = await postWebhook(inboundWebhook(speaker, { channel, from, text }, nowMs, receiver));
  if (answer.kind === 'answered' && answer.status >= 200 && answer.status < 300) {
    output.stdout.write(`${receiver.url} accepted the reply (HTTP ${answer.status}).\n`);
    return EXIT.done;
  }
  const redact = createRedact([...settings.secrets, speaker.authToken, speaker.appSecret]);
  const [found, nextStep] = describe(answer, channel);
  const lines = [`error: ${receiver.url} did not accept the reply: found ${found}.`, `next step: ${nextStep}`];
  output.stderr.write(`${harmless(redact(lines.join('\n')))}\n`);
  return EXIT.failed;
}

function speakerFor(settings: Settings): Speaker {
  const own = speakerOf(sandboxCredentials(''));
  const live = liveAreas(settings);
  const secrets = webhookSecrets(settings);
  return {
    accountId: live.messages?.accountId ?? own.accountId,
    sender: live.messages?.from ?? own.sender,
    authToken: secrets.MESSAGES_PASSWORD ?? own.authToken,
    appSecret: secrets.GRAPH_APP_SECRET ?? own.appSecret,
    businessAccountId: live.graph?.businessAccountId ?? own.businessAccountId,
    phoneNumberId: live.graph?.phoneNumberId ?? own.phoneNumberId,
  };
}

function localAddress({ host, port }: Settings['serve']): string {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

function describe(answer: WebhookAnswer, channel: PhoneChannel): readonly [found: string, nextStep: string] {
  if (answer.kind === 'unreachable') {
    return [`that ${answer.reason}`, 'Start pacekeeper serve there, or set its address with --to.'];
  }
  const text = oneLine(answer.text.trim());
  const found = `HTTP ${answer.status}${text === '' ? '' : ` "${text}"`}, expected 200 to 299`;
  if (![401, 403, 404].includes(answer.status)) return [found, 'Check the log of pacekeeper serve.'];
  const secret = channelNamed(channel)?.webhook?.parts[channel];
  return [
    found,
    `Run pacekeeper serve with the same ${secret} and SERVE_PUBLIC_URL as here. Without ${secret}, pacekeeper serve does not receive this channel.`,
  ];
}
