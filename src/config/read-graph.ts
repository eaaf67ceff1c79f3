import {
  type BusinessAccountId,
  businessAccountId,
  type GraphUserId,
  graphUserId,
  isGraphId,
  type PhoneNumberId,
  phoneNumberId,
} from '../domain/graph-ids.ts';
import { checkToken, checkUrl, type Env, missing, refuseVersion } from './area-problems.ts';
import type { GraphSettings } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';

const DEFAULT_VERSION = 'v23.0';
/** Requirement A9. */
const VERSION = /^v[1-9]\d{0,4}\.(0|[1-9]\d{0,4})$/;

/** Area A; undefined when nothing of it is set. What is missing or malformed goes to `problems`. */
export function readGraph(file: SettingsFile, env: Env, problems: string[]): GraphSettings | undefined {
  const { graph } = file;
  const value = {
    GRAPH_URL: env('GRAPH_URL') ?? graph.url,
    GRAPH_VERSION: env('GRAPH_VERSION') ?? graph.version,
    GRAPH_ACCESS_TOKEN: env('GRAPH_ACCESS_TOKEN') ?? graph.access_token,
    GRAPH_BUSINESS_ACCOUNT_ID: env('GRAPH_BUSINESS_ACCOUNT_ID') ?? graph.business_account_id,
    GRAPH_PHONE_NUMBER_ID: env('GRAPH_PHONE_NUMBER_ID') ?? graph.phone_number_id,
    GRAPH_USER_ID: env('GRAPH_USER_ID') ?? graph.user_id,
  };
  const present = Object.entries(value).flatMap(([name, text]) => (text === undefined ? [] : [name]));
  if (present.length === 0) return undefined;
  const { GRAPH_URL: address, GRAPH_ACCESS_TOKEN: accessToken } = value;
  if (address === undefined) problems.push(missing('GRAPH_URL', present));
  if (accessToken === undefined) problems.push(missing('GRAPH_ACCESS_TOKEN', present));
  else checkToken('GRAPH_ACCESS_TOKEN', accessToken, problems);
  const url = address === undefined ? undefined : checkUrl('GRAPH_URL', address, problems);
  refuseVersion('GRAPH_URL', url, VERSION, problems);
  const version = value.GRAPH_VERSION ?? DEFAULT_VERSION;
  if (!VERSION.test(version)) {
    problems.push(`GRAPH_VERSION is "${version}", expected v and two numbers such as ${DEFAULT_VERSION}.`);
  }
  const id = <Id>(name: keyof typeof value, brand: (text: string) => Id): Id | undefined => {
    const text = value[name];
    if (text === undefined) return undefined;
    if (isGraphId(text)) return brand(text);
    // Not repeated: it may be a phone number, which is the likeliest mistake.
    const phone = text.startsWith('+') ? ', and a phone number is not its id' : '';
    problems.push(`${name} is not a row of digits such as 106540352242922${phone}.`);
    return undefined;
  };
  const ids = {
    businessAccountId: id<BusinessAccountId>('GRAPH_BUSINESS_ACCOUNT_ID', businessAccountId),
    phoneNumberId: id<PhoneNumberId>('GRAPH_PHONE_NUMBER_ID', phoneNumberId),
    userId: id<GraphUserId>('GRAPH_USER_ID', graphUserId),
  };
  const { businessAccountId: account, phoneNumberId: sender } = ids;
  if (account !== undefined && String(account) === String(sender)) {
    problems.push('GRAPH_PHONE_NUMBER_ID and GRAPH_BUSINESS_ACCOUNT_ID are the same, expected two different ids.');
  }
  if (!url || !accessToken) return undefined;
  return { url, version, accessToken, tokenIn: graph.token_in ?? 'header', ...ids };
}
