import { readFileSync } from 'node:fs';

/** The questions of a section of docs/bi.md by their number, with the SQL that answers them. */
export function questionsOf(section: string): Map<number, string> {
  const text = readFileSync('docs/bi.md', 'utf8').split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  return new Map(
    [...text.matchAll(/^### (\d+)\. [^\n]+\n\n[^\n]+\n\n```sql[^\n]*\n(.*?)\n```/gms)].map((match) => [
      Number(match[1]),
      match[2] ?? '',
    ]),
  );
}
