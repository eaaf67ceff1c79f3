import { InputError } from '../../../domain/errors.ts';
import { UNDONE } from '../is-busy.ts';

/** Returns the error with a sentence and a next step, or as it is. `where` is the address without its password. */
export function databaseFailure(where: string, cause: unknown): unknown {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
  const [busy, kind = 'STORE_BUSY'] = (typeof code === 'string' && BUSY[code]) || [];
  if (busy !== undefined) {
    return Object.assign(new Error(`${where} ${busy}. Try again in a moment.`, { cause }), { code: kind });
  }
  const refusal = CERTIFICATE.has(code) ? 'CERTIFICATE' : (code ?? message);
  if (typeof refusal === 'string' && refusal in REFUSALS) {
    const [words, nextStep] = REFUSALS[refusal] ?? [];
    return new InputError(`${where} cannot be used: ${words}.`, { nextStep: nextStep ?? '', cause });
  }
  if (meansLost(code, message)) {
    const nextStep = 'Check that the server runs and that this machine reaches it. Then run the command again.';
    const words = `${where} cannot be reached: ${typeof code === 'string' && WORDS[code] ? WORDS[code] : message}.`;
    return Object.assign(new Error(words, { cause }), { code: 'STORE_LOST', nextStep });
  }
  return cause;
}

const BUSY: Readonly<Record<string, readonly [words: string, kind?: string]>> = {
  '55P03': ['is in use by another writer'],
  '53300': ['has no free connection'],
  '40P01': ['undid a change, because it and another program waited for each other', UNDONE],
  '40001': ['undid a change, because another program changed the same rows', UNDONE],
};

/** Why Node does not trust a certificate. */
const CERTIFICATE: ReadonlySet<unknown> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The server says that it may admit the same client soon. */
export const ADMITS_LATER: readonly unknown[] = ['53300', '57P03'];

export const RIGHTS =
  'Let the user create schemas in the database, or own pacekeeper and warehouse. Or grant the rights of docs/scale-out.md (Roles).';

const REFUSALS: Readonly<Record<string, readonly [words: string, nextStep: string]>> = {
  '28P01': ['the password is wrong', 'Correct the user or the password in store.url or PACEKEEPER_STORE_URL.'],
  '28000': ['the server does not admit this user', 'Correct the user in store.url, or pg_hba.conf of the server.'],
  '3D000': ['the database does not exist', 'Create the database, or correct its name in store.url.'],
  '25006': ['it is read-only', 'Name the primary server in store.url, not a standby.'],
  '42501': ['this user lacks a permission', RIGHTS],
  CERTIFICATE: [
    'its certificate is not trusted',
    'Use the host name of the certificate in store.url. Set tls.ca_file (PACEKEEPER_TLS_CA_FILE) to a file with the certificate of its authority.',
  ],
  'The server does not support SSL connections': [
    'the server offers no TLS',
    'Set ssl = on at the server, or use ?sslmode=disable in a network that you trust.',
  ],
  ENOENT: ['a file that store.url names does not exist', 'Correct sslrootcert, sslcert or sslkey in store.url.'],
  '53100': ['its disk is full', 'Free space on the disk of the server, and run again.'],
};

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host is unknown',
  ETIMEDOUT: 'no answer in time',
  '25P03': 'the server ended a transaction that did nothing for too long',
  '57P01': 'the server was stopped',
  '57P03': 'the server is starting or stopping',
};

/** True for a failure after which the connection cannot be used. */
export function isLost(failure: unknown): boolean {
  return (failure as { readonly code?: unknown }).code === 'STORE_LOST';
}

function meansLost(code: unknown, message: unknown): boolean {
  if (typeof code === 'string') return code in WORDS || code.startsWith('08') || /^E[A-Z]+$/.test(code);
  return (
    typeof message === 'string' &&
    /^(?:Connection terminated|timeout exceeded|Query read timeout|Client has)/.test(message)
  );
}
