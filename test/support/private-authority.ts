import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { tempDir } from './temp-dir.ts';

export interface PrivateAuthority {
  /** The certificate that clients need. */
  readonly caFile: string;
  /** Of a server on this machine, whose certificate the authority signed. */
  readonly keyFile: string;
  readonly certificateFile: string;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export function privateAuthority(): PrivateAuthority {
  const at = (name: string) => join(tempDir(), name);
  const caKey = at('ca.key');
  const found = { caFile: at('ca.crt'), keyFile: at('server.key'), certificateFile: at('server.crt') };
  const make = (...args: readonly string[]) =>
    execFileSync('openssl', ['req', '-x509', ...KEY, '-days', '2', ...args], { stdio: 'ignore' });
  make('-subj', '/CN=authority', '-keyout', caKey, '-out', found.caFile);
  const host = ['-subj', '/CN=server', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const signed = ['-CA', found.caFile, '-CAkey', caKey];
  make(...host, ...signed, '-keyout', found.keyFile, '-out', found.certificateFile);
  return found;
}
