import { LOOKED_FOR_MS } from '../../alerts/deliver.ts';
import { alertsOf } from '../../config/alert-settings.ts';
import { liveAreas } from '../../config/live-areas.ts';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { numberOf } from '../../domain/messaging-address.ts';
import type { StateApp } from '../../engine/app.ts';
import { type Engine, engineOf } from '../../engine/folder/engine.ts';
import { type Forgotten, forgetAddress } from '../../storage/records/alerts/forget-address.ts';
import { inTransaction } from '../../storage/records/in-transaction.ts';
import { count } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import { jsonOrText } from '../cli/print-listing.ts';
import type { ForgetOptions } from './forget-command.ts';

export async function runForget(app: CommandApp<'state'>, { person, format }: ForgetOptions): Promise<void> {
  const key = keyOf(person);
  refuseInSettings(app.settings, key);
  const found = await app.open(async (opened) => {
    const engine = await engineOf(opened.settings);
    const nowMs = opened.clock.now();
    const records = await inTransaction(opened.state.db, (trx) =>
      forgetAddress(trx, key, { nowMs, lookedForMs: LOOKED_FOR_MS }),
    );
    if (records === undefined) throw onItsWay('A message to this address may be on its way, so nothing was removed.');
    const webhooks = await forgetWebhooks(engine, opened, key);
    await engine.overwriteDeleted();
    return { ...records, webhooks };
  });
  app.output.stdout.write(jsonOrText(format, found, wordsOf(found)));
}

/** The digits of a phone number, or the address. */
function keyOf(person: string): string {
  const number = numberOf(person.replaceAll(/[ ()/-]/g, ''));
  if (number !== undefined && number.length > NUMBER_LENGTH_MIN) return number.slice(1);
  if (/[\d@]/.test(person) && number === undefined) return person;
  throw new InputError(`Invalid address: found ${person}, expected a phone number or another address.`, {
    nextStep: 'Write it as +4915112345678. A name is not enough, because the records have only addresses.',
  });
}

const NUMBER_LENGTH_MIN = 7;

function refuseInSettings(settings: Settings, key: string): void {
  const { recipients, approvers } = alertsOf(settings, liveAreas(settings));
  const has = (address: string) => address === key || numberOf(address) === `+${key}`;
  const named = recipients.flatMap(({ name, addresses }) => ([...addresses.values()].some(has) ? name : []));
  const isApprover = approvers.some(({ number }) => has(number));
  const places = [...named.map((name) => `recipient ${name}`), ...(isApprover ? ['an approver'] : [])];
  if (places.length === 0) return;
  throw new InputError(`The settings still have this address: ${places.join(', ')}. Nothing was removed.`, {
    nextStep: 'Remove it from alerts in pacekeeper.yaml and from MESSAGES_TO. Then run this command again.',
  });
}

async function forgetWebhooks(engine: Engine, { clock }: StateApp, key: string): Promise<number> {
  if (!engine.hasInbox()) return 0;
  const inbox = await engine.openInbox(clock);
  try {
    const deleted = await inbox.forget(key);
    if (deleted === undefined)
      throw onItsWay('A webhook with this address is not handled yet, so the inbox keeps the address.');
    return deleted;
  } finally {
    await inbox.close();
  }
}

function onItsWay(why: string): Error {
  const nextStep = 'Run pacekeeper alerts deliver. Then run this command again.';
  return Object.assign(new Error(why), { code: 'ON_ITS_WAY', nextStep });
}

type Found = Forgotten & { readonly webhooks: number };

function wordsOf({ deliveries, replies, webhooks }: Found): string {
  if (deliveries + replies + webhooks === 0) return 'The records do not have this address.';
  const counts = [
    count(deliveries, 'delivery', 'deliveries'),
    count(replies, 'reply', 'replies'),
    count(webhooks, 'webhook'),
  ];
  return `The address was removed from ${counts.join(', ')}. The next report publishes without it.
Names of people who decided stay in the audit trail. Backups still have the address.`;
}
