import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from './temp-dir.ts';

/** Made once: a key takes a tenth of a second. */
let made: string | undefined;

export function privateKeyPem(): string {
  made ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
  return made;
}

export const EMAIL = 'reader@project.iam.gserviceaccount.com';

/** A file that only its owner can read, unless another mode is named. */
export function keyFile(content: object | string = {}, mode = 0o600): string {
  const whole = { type: 'service_account', client_email: EMAIL, private_key: privateKeyPem() };
  const file = join(tempDir(), 'key.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify({ ...whole, ...content }));
  chmodSync(file, mode);
  return file;
}
