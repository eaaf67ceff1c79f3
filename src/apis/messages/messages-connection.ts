import type { HttpClient } from '../../http/http-client.ts';
import type { Redact } from '../../http/redact.ts';

/** One configured form-encoded messaging interface (area C). */
export interface MessagesConnection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly accountId: string;
  readonly username: string;
  readonly password: string;
  /** `<channel>:+<number>`. */
  readonly from: string;
  /** What becomes of a media address that the channel would drop: refused, or written into the text (requirement C4). */
  readonly media: 'refuse' | 'link';
  readonly http: HttpClient;
  readonly redact: Redact;
}

/** The account's messages as a resource, without the `.json` of the list: `{url}/2010-04-01/Accounts/{id}/Messages`. */
export function messagesUrl({ url, accountId }: MessagesConnection): string {
  return `${url}/2010-04-01/Accounts/${encodeURIComponent(accountId)}/Messages`;
}

/** The header that says who we are (requirement C1). */
export function basicAuthorization({ username, password }: MessagesConnection): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
