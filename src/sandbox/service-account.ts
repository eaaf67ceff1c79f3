import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { InputError } from '../domain/errors.ts';
import { parseJson } from '../domain/parse-json.ts';
import { isJsonObject } from './read-request.ts';
import { jsonReply, type Reply } from './reply.ts';

const CLIENT_EMAIL = 'pacekeeper@sandbox.iam.example';
const DOMAIN = '@sandbox.example';
const SCOPE = 'https://www.googleapis.com/auth/adwords';
const PUBLIC_TOKEN_URL = 'https://oauth2.googleapis.com/token';
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Creates a missing file. Throws `InputError` if the file cannot be written, or has no key of the sandbox. */
export function openServiceAccount(file: string, tokenUrl: string): KeyObject {
  if (existsSync(file)) return keyIn(file);
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const json = {
    type: 'service_account',
    project_id: 'sandbox',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: CLIENT_EMAIL,
    token_uri: tokenUrl,
  };
  try {
    writeFileSync(file, `${JSON.stringify(json, undefined, 2)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new InputError(`The key file ${file} cannot be written: ${code}.`, {
      nextStep: 'Name a file in an existing folder.',
      cause,
    });
  }
  return publicKey;
}

function keyIn(file: string): KeyObject {
  try {
    const json = parseJson(readFileSync(file, 'utf8'));
    if (isJsonObject(json) && json.client_email === CLIENT_EMAIL) {
      return createPublicKey(createPrivateKey(String(json.private_key)));
    }
  } catch {
    // The error below also covers an unreadable key.
  }
  throw new InputError(`${file} exists, but has no key of the sandbox. Nothing was overwritten.`, {
    nextStep: 'Name another file, or delete this one.',
  });
}

/** Checks an assertion by RFC 7523. Returns undefined if the assertion is valid. */
export function refuseAssertion(
  form: URLSearchParams,
  key: KeyObject | undefined,
  { tokenUrl, nowMs }: { readonly tokenUrl: string; readonly nowMs: number },
): Reply | undefined {
  const refuse = (error: string, error_description: string, status = 400) =>
    jsonReply(status, { error, error_description });
  const [head = '', body = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const header = decoded(head);
  const claims = decoded(body);
  if (header?.alg !== 'RS256' || claims === undefined) return refuse('invalid_grant', 'Bad Request');
  if (key === undefined || claims.iss !== CLIENT_EMAIL) {
    return refuse('invalid_grant', 'Invalid grant: account not found');
  }
  const isSigned = verify('RSA-SHA256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'));
  if (!isSigned) return refuse('invalid_grant', 'Invalid JWT Signature.');
  if (claims.aud !== tokenUrl && claims.aud !== PUBLIC_TOKEN_URL) {
    return refuse('invalid_grant', `Invalid JWT: Failed audience check. The right audience is ${tokenUrl}`);
  }
  const { iat, exp, sub } = claims;
  if (!isTimely(Number(iat), Number(exp), nowMs / 1000)) {
    return refuse(
      'invalid_grant',
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    );
  }
  if (claims.scope !== SCOPE) return refuse('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
  if (sub !== undefined && !String(sub).endsWith(DOMAIN)) {
    return refuse(
      'unauthorized_client',
      'Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.',
      401,
    );
  }
  return undefined;
}

const HOUR_S = 3600;
const SKEW_S = 300;

function isTimely(iat: number, exp: number, nowS: number): boolean {
  return exp - iat > 0 && exp - iat <= HOUR_S && iat <= nowS + SKEW_S && exp > nowS - SKEW_S;
}

function decoded(part: string): Record<string, unknown> | undefined {
  const json = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
  return isJsonObject(json) ? json : undefined;
}
