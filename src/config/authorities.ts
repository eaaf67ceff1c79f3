import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

export type AuthoritiesReading =
  | { readonly kind: 'ok'; readonly certificates: readonly X509Certificate[] }
  | { readonly kind: 'refused'; readonly says: string };

const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Other text between the certificates is ignored. */
export function readAuthorities(file: string): AuthoritiesReading {
  const refuse = (found: string, nextStep: string): AuthoritiesReading => ({
    kind: 'refused',
    says: `names ${file}: found ${found}, expected a PEM file with certificates of authorities. ${nextStep}`,
  });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return refuse('no such file', 'Check the path.');
    return refuse(code === 'EISDIR' ? 'a folder' : `a file that cannot be read (${code})`, 'Check the path.');
  }
  const found = text.match(PEM) ?? [];
  if (found.length === 0) return refuse('no certificate', 'Each begins with -----BEGIN CERTIFICATE-----.');
  try {
    return { kind: 'ok', certificates: found.map((pem) => new X509Certificate(pem)) };
  } catch {
    return refuse('a damaged certificate', 'Ask for the file again.');
  }
}
