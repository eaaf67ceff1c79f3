import { hostname } from 'node:os';

/** Random words that are numbered by their first place in a text. In JSON the n of a line break may stand before them. */
const RANDOM: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['uuid', /(?<![\da-f])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g],
  ['hash', /(?<![\da-f])[\da-f]{64}\b/g],
  ['event', /(?<=chain,\s+last\s+hash\s+)[\da-f]{12}\b/g],
  ['folder', /(?<="folder":")[\da-f]{12}(?=")/g],
  ['size', /[\d,]+(?= bytes, all pages)/g],
  ['sid', /SM[\da-f]{32}\b/g],
  ['wamid', /wamid\.[\w+/-]+=*/g],
  ['token', /pk_[\w-]{43}/g],
  ['address', /(?<!\d)127\.0\.0\.1:\d+/g],
  ['process', /\bprocess \d+\b/g],
];

/** The text without what is random or of this machine, whose short name may also stand within a random word. Equal words stay equal within a text. */
export function normalise(text: string, folder: string): string {
  // A narrow column breaks a path anywhere.
  const broken = new RegExp([...folder].map((sign) => sign.replace(/\W/, '\\$&')).join('(?:\\n *)?'), 'g');
  const places = text.replace(broken, '/world').replaceAll(process.cwd(), '/repository');
  const here = places
    .replace(new RegExp(`(?<![\\w-])${hostname().replace(/\W/g, '\\$&')}(?![\\w-])`, 'g'), 'this-machine')
    .replaceAll(process.versions.node, '0.0.0')
    .replace(/[\d.]+ [KMGT]iB free/g, '0 GiB free')
    .replace(/^(?:process|nodejs)_.*\n/gm, '');
  return RANDOM.reduce((changed, [name, pattern]) => {
    const found: string[] = [];
    return changed.replace(pattern, (word) => {
      if (!found.includes(word)) found.push(word);
      return `<${name} ${found.indexOf(word) + 1}>`;
    });
  }, here);
}

/** A page with one tag to a line, so that a difference is a line. All pages have the same styles, which one file has. */
export function brokenAtTags(html: string): string {
  return html.replace(/(?<=<style>)[^<]*/g, '').replace(/></g, '>\n<');
}

export function stylesIn(html: string): string {
  return [...html.matchAll(/<style>([^<]*)/g)].map(([, style]) => style).join('\n');
}
