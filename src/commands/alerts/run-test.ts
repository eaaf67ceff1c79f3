import { randomUUID } from 'node:crypto';
import { usableChannels } from '../../alerts/delivery-pass.ts';
import { CHANNEL_NAMES, maskAddress } from '../../channels/channels.ts';
import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { unknownInRoutes } from '../../engine/accounts/unknown-names.ts';
import type { App } from '../../engine/app.ts';
import { deliverAlerts } from '../../engine/tell/deliver-alerts.ts';
import { enqueueTest } from '../../storage/records/alerts/alert-table.ts';
import { listRows } from '../../storage/records/alerts/outbox-list.ts';
import type { CommandApp } from '../cli/command.ts';
import { textLayout } from '../cli/output.ts';
import { personOf } from '../cli/person.ts';
import { EXIT } from '../cli/print-error.ts';
import { jsonOrText } from '../cli/print-listing.ts';
import type { TestOptions } from './alerts-command.ts';
import { renderTested, type TestedRecipient, testedJson } from './delivery-view.ts';

/** Returns 1 if any recipient could not be reached. */
export async function runTest(app: CommandApp<'all'>, options: TestOptions): Promise<number> {
  const { output } = app;
  const by = personOf(options, app);
  const tested = await app.open(async (opened) => {
    for (const unknown of await unknownInRoutes(opened)) app.log.warn(unknown);
    return testAlerts(opened, by, options);
  });
  output.stdout.write(jsonOrText(options.format, testedJson(tested), renderTested(tested, textLayout(output))));
  return tested.every(({ accepted }) => accepted) ? EXIT.done : EXIT.failed;
}

const ACCEPTED: readonly string[] = ['accepted', 'delivered'];
const ROWS_MAX = 100;

async function testAlerts(
  app: App,
  by: string,
  { to, severity }: Pick<TestOptions, 'to' | 'severity'>,
): Promise<TestedRecipient[]> {
  const { recipients } = app.alerts;
  const chosen = recipients.filter(({ name }) => to === undefined || name === to);
  if (chosen.length === 0) {
    const names = recipients.map(({ name }) => name).join(', ');
    const found =
      names === '' ? 'No alert recipient is set.' : `Unknown recipient: found ${to}, expected one of ${names}.`;
    const nextStep =
      names === ''
        ? 'Set alerts.recipients in pacekeeper.yaml, or MESSAGES_TO.'
        : 'Choose a name with --to, or add one under alerts.recipients in pacekeeper.yaml.';
    throw new InputError(found, { nextStep });
  }
  const nowMs = app.clock.now();
  // Two tests within one second need different keys.
  const unique = `${instantText(nowMs)}:${randomUUID()}`;
  const keyOf = (name: string) => `test:${name}:${unique}`;
  const usable = usableChannels(app);
  for (const { name, addresses } of chosen) {
    const own = CHANNEL_NAMES.filter((one) => addresses.has(one));
    const channel = own.find((one) => usable.includes(one)) ?? own[0];
    const recipient = channel && addresses.get(channel);
    if (channel === undefined || recipient === undefined) continue;
    const text = `Test alert by ${by}: alerts reach ${name}.`;
    await enqueueTest(app.state.db, { dedupeKey: keyOf(name), channel, recipient, severity, text }, nowMs);
  }
  await deliverAlerts(app);
  const tested: TestedRecipient[] = [];
  for (const { name } of chosen) {
    const states = ['pending', 'sending', 'accepted', 'delivered', 'failed', 'unknown', 'withdrawn'] as const;
    const found = await listRows(app.state.db, { states, keyPrefix: keyOf(name), limit: ROWS_MAX });
    const rows = found.map((row) => ({
      ...row,
      recipient: row.recipient === undefined ? undefined : maskAddress(row.channel, row.recipient),
      why: row.error ?? (row.state === 'pending' ? 'see pacekeeper alerts list for the reason' : undefined),
    }));
    tested.push({ name, rows, accepted: rows.some(({ state }) => ACCEPTED.includes(state)) });
  }
  return tested;
}
