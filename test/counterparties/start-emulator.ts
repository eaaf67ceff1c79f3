import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

const PACKAGE = join(import.meta.dirname, 'node_modules/emulate/dist/api.js');

export const ACCOUNT = 'AC0123456789abcdef0123456789abcdef';
export const TOKEN = 'a token & more+1!';
export const SENDER = 'whatsapp:+15550100001';

interface Emulators {
  createEmulator(options: object): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** What somebody else takes the messaging provider for, on a free port; gone when the test ends. */
export async function startEmulator(replyUrl?: string): Promise<{
  readonly url: string;
  /** Something that happens at the provider's: a phone answers, or a status changes. */
  simulate(what: 'inbound-message' | 'message-status', fields: Readonly<Record<string, string>>): Promise<number>;
}> {
  const { createEmulator }: Emulators = await import(pathToFileURL(PACKAGE).href);
  const phone = { phone_number: SENDER, friendly_name: 'The sender', ...(replyUrl ? { sms_url: replyUrl } : {}) };
  const emulator = await createEmulator({
    service: 'twilio',
    port: 0,
    seed: { twilio: { account: { sid: ACCOUNT, auth_token: TOKEN }, phone_numbers: [phone] } },
  });
  onTestFinished(() => emulator.close());
  // It listens on this address alone; what it calls itself may have another one first.
  const url = emulator.url.replace('localhost', '127.0.0.1');
  const authorization = `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64')}`;
  return {
    url,
    async simulate(what, fields) {
      const body = new URLSearchParams(fields);
      const address = `${url}/_twilio/simulate/${what}`;
      return (await fetch(address, { method: 'POST', headers: { authorization }, body })).status;
    },
  };
}
