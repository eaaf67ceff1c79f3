import type { Connection } from '../../services/http/retry.ts';

export interface MessagesConnection extends Pick<Connection, 'http' | 'redact'> {
  /** Without a trailing slash. */
  readonly url: string;
  readonly accountId: string;
  readonly username: string;
  readonly password: string;
  /** In the form `<channel>:+<number>`. */
  readonly from: string;
  /** If the channel would drop a file: refuse the message, or add the file's address to the text (C4). */
  readonly media: 'refuse' | 'link';
}

export function messagesUrl({ url, accountId }: MessagesConnection): string {
  return `${url}/2010-04-01/Accounts/${encodeURIComponent(accountId)}/Messages`;
}
