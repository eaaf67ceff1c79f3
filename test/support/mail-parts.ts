interface MailPart {
  readonly head: string;
  /** Decoded. */
  readonly bytes: Buffer;
}

/** The parts of a mail, also nested ones, by content type. */
export function partsOf(source: string): ReadonlyMap<string, MailPart> {
  const parts = new Map<string, MailPart>();
  for (const piece of source.split(/\r\n--[^\r\n]+\r\n/)) {
    const [head = '', ...rest] = piece.split('\r\n\r\n');
    const type = /content-type: ([^;\r\n]+)/i.exec(head)?.[1];
    const body = rest.join('\r\n\r\n').split(/\r\n--/)[0] ?? '';
    if (type === undefined || type.startsWith('multipart')) continue;
    const isQuoted = /quoted-printable/i.test(head);
    const decoded = isQuoted ? body.replace(/=\r\n/g, '').replace(/(?:=[0-9A-F]{2})+/g, fromHex) : body;
    parts.set(type, { head, bytes: Buffer.from(decoded, /base64/i.test(head) ? 'base64' : 'utf8') });
  }
  return parts;
}

const fromHex = (bytes: string) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString();
