import type { Connection } from '../../http/retry.ts';

/** One configured form-encoded messaging interface (area C). */
export interface MessagesConnection extends Pick<Connection, 'http' | 'redact'> {
  /** Without a trailing slash. */
  readonly url: string;
  readonly accountId: string;
  readonly username: string;
  readonly password: string;
  /** In the form `<channel>:+<number>`. */
  readonly from: string;
  /** For media that the channel would drop: refuse the message or link the media in its text (requirement C4). */
  readonly media: 'refuse' | 'link';
}

/** The address of the account's messages. With `.json` at its end, it is the address of the list. */
export function messagesUrl({ url, accountId }: MessagesConnection): string {
  return `${url}/2010-04-01/Accounts/${encodeURIComponent(accountId)}/Messages`;
}
