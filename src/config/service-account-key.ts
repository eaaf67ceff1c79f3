import { createPrivateKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import * as z from 'zod';
import type { ServiceAccountKey } from '../domain/connection-settings.ts';
import { parseJson } from '../domain/parse-json.ts';

export type KeyReading =
  | { readonly kind: 'ok'; readonly key: ServiceAccountKey }
  /** `says` contains no part of the key. */
  | { readonly kind: 'refused'; readonly says: string };

const KEY_FILE = z.object({ client_email: z.string().min(1), private_key: z.string().min(1) });
const SIZE_MAX = 64 * 1024;
const EXPECTED = 'expected the JSON key file of a service account';
const NEW_KEY = 'Create a key of the type JSON for the service account, and name its file.';

const OTHER_KINDS: Readonly<Record<string, readonly [kind: string, nextStep: string]>> = {
  authorized_user: ['a login of gcloud', 'To use it, set ads.machine_identity instead.'],
  external_account: [
    'a file of workload identity federation',
    'Set GOOGLE_APPLICATION_CREDENTIALS to it, and ads.machine_identity: true.',
  ],
};

/** Like ssh, refuses a file of this user that other users can access. */
export function readServiceAccountKey(file: string): KeyReading {
  const refuse = (found: string, nextStep: string): KeyReading => ({
    kind: 'refused',
    says: `names ${file}: found ${found}, ${EXPECTED}. ${nextStep}`,
  });
  let text: string;
  try {
    const { mode, uid, size } = statSync(file);
    if ((mode & 0o077) !== 0 && uid === ownUid()) {
      const shown = (mode & 0o777).toString(8).padStart(3, '0');
      return {
        kind: 'refused',
        says: `names ${file}: found mode ${shown}, expected a file that only its owner can read. Run chmod 600 ${file}`,
      };
    }
    text = size > SIZE_MAX ? '' : readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return refuse('no such file', 'Check the path.');
    return refuse(code === 'EISDIR' ? 'a folder' : `a file that cannot be read (${code})`, 'Check the path.');
  }
  const json = parseJson(text);
  const about = z.looseObject({ type: z.string().optional() }).safeParse(json);
  if (!about.success) return refuse('a file that is not JSON', NEW_KEY);
  if ('installed' in about.data || 'web' in about.data) {
    return refuse(
      'the file of an OAuth client',
      `${NEW_KEY} For the client, set ADS_CLIENT_ID and its secret instead.`,
    );
  }
  const other = OTHER_KINDS[about.data.type ?? ''];
  if (other !== undefined) return refuse(...other);
  const parsed = KEY_FILE.safeParse(json);
  if (!parsed.success) {
    const lacking = parsed.error.issues.map(({ path }) => path.join('.')).join(' and ');
    return refuse(`JSON without ${lacking}`, NEW_KEY);
  }
  const { client_email: clientEmail, private_key: privateKey } = parsed.data;
  if (!isRsaKey(privateKey)) return refuse('a private_key that is damaged', NEW_KEY);
  return { kind: 'ok', key: { file, clientEmail, privateKey } };
}

/** Undefined for a user without a name. -1 on Windows, which has no file modes. */
function ownUid(): number | undefined {
  try {
    return userInfo().uid;
  } catch {
    return undefined;
  }
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
