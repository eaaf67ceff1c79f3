import { readFileSync } from 'node:fs';
import { packageRoot } from '../../config/package-root.ts';

/** A question of docs/bi.md, in the SQL of a published file. */
interface GalleryQuestion {
  readonly title: string;
  readonly about: string;
  readonly sql: string;
  /** The fields of an address that draws the answer. The page has them behind `sql`. */
  readonly chart: Readonly<Record<string, string>>;
  /** Names of tables. */
  readonly reads: readonly string[];
}

const QUESTION = /^### \d+\. (.+)\n\n(.+)\n\n```sql ?(.*)\n([^`]+)\n```$/gm;

export function galleryQuestions(): readonly GalleryQuestion[] {
  const page = readFileSync(new URL('docs/bi.md', packageRoot()), 'utf8');
  return Array.from(page.matchAll(QUESTION), ([, title = '', about = '', chart, sql = '']) => ({
    title,
    about: about.replaceAll('`', ''),
    sql,
    chart: Object.fromEntries(new URLSearchParams(chart)),
    reads: tablesOf(sql),
  }));
}

function tablesOf(sql: string): readonly string[] {
  const own = Array.from(sql.matchAll(/(\w+) AS \(/g), ([, name]) => name);
  return Array.from(sql.matchAll(/\b(?:FROM|JOIN) (\w+)/g), ([, name = '']) => name).filter(
    (name) => !own.includes(name),
  );
}
