import type { Connection } from '../../services/http/retry.ts';
import type { Template, Templates } from '../template.ts';

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
  readonly templates: Templates<ContentTemplate>;
  /** When the phones of the sandbox wrote, in UTC. */
  readonly phonesWroteAt: string | undefined;
}

export interface ContentTemplate extends Template {
  /** Such as `HX` and 32 hexadecimal digits. */
  readonly content: string;
}

export function messagesUrl({ url, accountId }: MessagesConnection): string {
  return `${url}/2010-04-01/Accounts/${encodeURIComponent(accountId)}/Messages`;
}
