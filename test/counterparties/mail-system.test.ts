import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ALERT, openMail, TEXT } from '../channels/open-mail.ts';
import { createProduct } from '../support/product.ts';
import { tempDir } from '../support/temp-dir.ts';

const EXIM = '/usr/sbin/exim4';
const PYTHON = '/usr/bin/python3';

/** Debian's own parser of mails: another judge than the library that wrote them. */
const PARSE = `
import email, email.policy, json, sys
mail = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default)
parts = list(mail.walk())
print(json.dumps({
  'headers': [[name.lower(), str(value)] for name, value in mail.items()],
  'parts': [[one.get_content_type(), one.get_content()] for one in parts if not one.is_multipart()],
  'defects': [str(defect) for one in parts for defect in one.defects],
}))`;

interface ParsedMail {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly parts: readonly (readonly [type: string, content: string])[];
  readonly defects: readonly string[];
}

/**
 * A mail server of its own settings, in a folder of its own. It answers each connection as inetd starts it, so it needs no
 * fixed port. `deliver` ends when its queue was delivered into a maildir.
 */
async function mailSystem() {
  const folder = tempDir();
  // Started by root, it works as a user of its own, else as whoever started it.
  chmodSync(folder, 0o777);
  const { uid, gid } = userInfo();
  const user = uid === 0 ? '' : `exim_user = ${uid}\nexim_group = ${gid}\n`;
  const config = join(folder, 'exim.conf');
  writeFileSync(
    config,
    `${user}keep_environment =
spool_directory = ${folder}/spool
log_file_path = ${folder}/%slog
primary_hostname = mail.example.com
deliver_drop_privilege
queue_only
untrusted_set_sender = *
prod_requires_admin = false
acl_smtp_rcpt = recipients
acl_smtp_data = mails
begin acl
recipients:
  deny local_parts = nobody
       message = no such user
  accept domains = example.com
  deny message = relay not permitted
mails:
  accept
begin routers
box:
  driver = accept
  domains = example.com
  transport = maildir
begin transports
maildir:
  driver = appendfile
  directory = ${folder}/box
  maildir_format
  envelope_to_add
  return_path_add
`,
    { mode: 0o644 },
  );
  const sendmail = join(folder, 'sendmail');
  writeFileSync(sendmail, `#!/bin/sh\nexec ${EXIM} -C ${config} "$@"\n`, { mode: 0o755 });
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    spawn(EXIM, ['-C', config, '-bs'], { stdio: [socket, socket, 'ignore'] });
    socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  onTestFinished(() => void server.close());
  return {
    smtp: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sendmail: `sendmail:${sendmail}`,
    deliver(): readonly ParsedMail[] {
      expect(spawnSync(EXIM, ['-C', config, '-qff'], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
      return globSync(join(folder, 'box/new/*')).map((file) => {
        const { stdout, stderr } = spawnSync(PYTHON, ['-c', PARSE, file], { encoding: 'utf8' });
        expect(stderr).toBe('');
        return JSON.parse(stdout);
      });
    },
  };
}

const WAYS = ['smtp', 'sendmail'] as const;

describe.runIf(existsSync(EXIM) && existsSync(PYTHON))('Debian’s exim4, if it is installed', () => {
  it('refuses a mail to nobody, or to another domain, for good', async () => {
    const { smtp, deliver } = await mailSystem();
    const { send } = await openMail({ url: smtp });
    for (const recipient of ['nobody@example.com', 'anna@example.net']) {
      const refusal = { outcome: 'not_processed', transient: false, status: '550' };
      await expect(send({ ...ALERT, recipient })).rejects.toMatchObject(refusal);
    }
    expect(deliver()).toEqual([]);
  });

  it.each(WAYS)('delivers a mail by %s, with its subject, both parts and its own id', async (way) => {
    const system = await mailSystem();
    const { send } = await openMail({ url: system[way] });
    expect(await send()).toMatchObject({ providerId: undefined });
    const [mail, ...more] = system.deliver();
    expect([more, mail?.defects]).toEqual([[], []]);
    expect(Object.fromEntries(mail?.headers ?? [])).toMatchObject({
      'return-path': '<pacekeeper@example.org>',
      'envelope-to': 'anna@example.com',
      from: 'pacekeeper <pacekeeper@example.org>',
      to: 'anna@example.com',
      subject: 'Budget changed: Boots & <b>Söckchen</b> (campaign 1)',
      'message-id': '<pk-AAAAAAAA@example.org>',
      date: 'Fri, 20 Nov 2026 12:00:00 +0000',
      'auto-submitted': 'auto-generated',
      'mime-version': '1.0',
    });
    expect(mail?.parts.map(([type]) => type)).toEqual(['text/plain', 'text/html']);
    expect(mail?.parts[0]?.[1].trim()).toBe(TEXT);
    expect(mail?.parts[1]?.[1]).toContain('Boots &amp; &lt;b&gt;Söckchen&lt;/b&gt;');
  });

  it.each(WAYS)('delivers by %s one subject and no other header, whatever a name says', async (way) => {
    const system = await mailSystem();
    const { send } = await openMail({ url: system[way] });
    const name = `Boots\r\nBcc: ben@example.com\r\nX-Other: 1\r\n\r\n.\r\nRSET\r\n${'€'.repeat(300)}`;
    const text = `Paused: ${name}`;
    await send({ ...ALERT, text, alerts: ALERT.alerts.map((one) => ({ ...one, text })) });
    const [mail, ...more] = system.deliver();
    expect([more, mail?.defects]).toEqual([[], []]);
    const own = mail?.headers.map(([header]) => header).filter((header) => header !== 'received');
    expect(own?.toSorted()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'envelope-to',
      'from',
      'message-id',
      'mime-version',
      'return-path',
      'subject',
      'to',
    ]);
    expect(mail?.headers.find(([header]) => header === 'subject')?.[1]).toBe('Paused: Boots');
    expect(mail?.parts[0]?.[1].replaceAll('\r\n', '\n')).toContain('\n.\nRSET\n€€€');
  });

  it.each(WAYS)('gets by %s the mail of a report for each recipient, once', async (way) => {
    const system = await mailSystem();
    const config = `email: { url: "${system[way]}", from: pacekeeper@example.org }
alerts: { digest_at: never, recipients: { anna: { email: anna@example.com }, ben: { email: ben@example.com } } }
`;
    const product = await createProduct({ config });
    for (const _ of [1, 2]) expect(await product.run(['report'])).toMatchObject({ code: 0 });
    const mails = system.deliver().map(({ headers }) => new Map(headers));
    expect(mails.map((headers) => headers.get('envelope-to')).toSorted()).toEqual([
      'anna@example.com',
      'ben@example.com',
    ]);
    for (const headers of mails)
      expect(headers.get('subject')).toMatch(/^Alpenkontor Outdoor GmbH: Budget changed: .+ \(campaign \d+\)$/);
    expect(new Set(mails.map((headers) => headers.get('message-id'))).size).toBe(2);
  });
});
