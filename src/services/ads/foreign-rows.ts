import type { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { malformed } from '../http/classify-failure.ts';

// These kinds of resources belong to one account. Managers share other kinds, such as labels.
const OWN_KINDS = [
  'customerClients',
  '(?:campaign|adGroup|assetGroup)[A-Za-z]*',
  '[A-Za-z]+Views?',
  'ads',
  'adParameters',
  'changeEvents',
  'changeStatus',
  'experiments',
  'experimentArms',
  'smartCampaignSettings',
  'shoppingProducts',
  'customerSearchTermInsights',
];

const ACCOUNT = Buffer.from('"customers/');
const SLASH = 0x2f;
const QUOTE = 0x22;

/** How far to go on if this byte stands where the slash of {@link ACCOUNT} would. */
const STEPS: Uint8Array = new Uint8Array(256).fill(ACCOUNT.length);
for (const [index, byte] of ACCOUNT.subarray(0, -1).entries()) STEPS[byte] = ACCOUNT.length - 1 - index;

/**
 * The returned function throws if a row names another account, because storing it would corrupt this account's data.
 * A regular expression over all rows is slow: SQLite parses them in about the same time. So it runs only after a name of
 * another account, such as a manager who shares a label.
 */
export function foreignRowsOf(customer: CustomerId): (json: Uint8Array) => void {
  const own = Buffer.from(customer);
  // User text cannot match, because JSON escapes quotes.
  const foreign = new RegExp(
    `"resourceName"\\s*:\\s*"customers/(?!${customer}["/])(\\d+)(?:"|/(?:${OWN_KINDS.join('|')})["/])`,
  );
  return (json) => {
    if (namesOnly(json, own)) return;
    const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('latin1');
    const found = foreign.exec(text)?.[1];
    if (found === undefined) return;
    throw foreignAnswer(
      customer,
      found,
      ' Queries that end with PARAMETERS omit_unselected_resource_names = true skip this check',
    );
  };
}

/** False if a text starts with the name of an account other than `own`. Skips most bytes. */
function namesOnly(json: Uint8Array, own: Uint8Array): boolean {
  for (let index = ACCOUNT.length - 1; index < json.length; ) {
    const byte = json[index] as number;
    if (byte === SLASH && isAt(json, ACCOUNT, index - ACCOUNT.length + 1)) {
      const end = json[index + 1 + own.length];
      if ((end !== SLASH && end !== QUOTE) || !isAt(json, own, index + 1)) return false;
    }
    index += STEPS[byte] as number;
  }
  return true;
}

function isAt(json: Uint8Array, text: Uint8Array, from: number): boolean {
  for (let index = 0; index < text.length; index++) if (json[from + index] !== text[index]) return false;
  return true;
}

export function foreignAnswer(customer: CustomerId, found: string, more = ''): ApiError {
  const advice = 'If this error repeats, check the proxy. It may mix up answers.';
  const text = `The answer for account ${customer} contains rows of account ${found}. ${advice}${more}`;
  return malformed('WRONG_ANSWER', text.replace(/\.$/, ''), true);
}
