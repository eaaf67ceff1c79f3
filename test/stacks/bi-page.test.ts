import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TRIM_QUERIES, TRIM_RULES } from '../support/trim-rule.ts';
import { createWorld } from '../support/world.ts';

const JAR = '/usr/share/java/sqlite-jdbc.jar';

interface Stack {
  /** The heading in docs/bi.md, below which its reading lines are. */
  readonly name: string;
  /** What apt-get installs, and what shows that it is there. */
  readonly packages: string;
  readonly probe: readonly [program: string, ...args: string[]];
  readonly file: string;
  readonly run: readonly [program: string, ...args: string[]];
  /** What its lines print of the only change: when, on which day, to which amount. */
  readonly prints: string;
}

const STACKS: readonly Stack[] = [
  {
    name: 'SQLAlchemy',
    packages: 'python3-sqlalchemy',
    file: 'read.py',
    probe: ['/usr/bin/python3', '-c', 'import sqlalchemy'],
    run: ['/usr/bin/python3', 'read.py'],
    prints: '2026-11-20 12:00:00 2026-11-20 51.000000\n',
  },
  {
    name: 'pandas',
    packages: 'python3-pandas python3-sqlalchemy',
    file: 'read.py',
    probe: ['/usr/bin/python3', '-c', 'import pandas, sqlalchemy'],
    run: ['/usr/bin/python3', 'read.py'],
    prints: '2026-11-20 12:00:00+00:00 2026-11-20 00:00:00 51\n',
  },
  {
    name: 'R',
    packages: 'r-base-core r-cran-rsqlite r-cran-hms',
    file: 'read.R',
    probe: ['Rscript', '-e', 'library(RSQLite); library(hms)'],
    run: ['Rscript', 'read.R'],
    prints: '2026-11-20 12:00:00 UTC 2026-11-20 51\n',
  },
  {
    name: 'JDBC',
    packages: 'libxerial-sqlite-jdbc-java default-jdk-headless',
    file: 'Read.java',
    probe: ['sh', '-c', `test -e ${JAR} && javac -version`],
    run: ['java', '-cp', JAR, 'Read.java'],
    prints: '2026-11-20T12:00:00Z 2026-11-20 51\n',
  },
];

function linesOf(name: string): string {
  const section = readFileSync('docs/bi.md', 'utf8').split(`\n### ${name}\n`)[1] ?? '';
  return /```\w+\n(.*?)```/s.exec(section)?.[1] ?? '';
}

/** A machine of another zone, so that a shifted instant or day is seen. */
const ELSEWHERE = { env: { ...process.env, TZ: 'America/New_York' }, encoding: 'utf8' } as const;

function demand({ name, packages, probe: [program, ...args] }: Stack): void {
  try {
    execFileSync(program, args, { stdio: 'pipe' });
  } catch (cause) {
    throw new Error(`${name} is not installed here. Run: apt-get install ${packages}`, { cause });
  }
}

describe('the reading lines of docs/bi.md', () => {
  it.each(STACKS.map((stack) => [stack.name, stack] as const))(
    'read an instant, a day and an amount with %s',
    async (_name, stack) => {
      demand(stack);
      const world = await createWorld({ queries: TRIM_QUERIES, rules: TRIM_RULES });
      await world.report();
      writeFileSync(join(world.folder, stack.file), linesOf(stack.name));
      const [program, ...args] = stack.run;
      expect(execFileSync(program, args, { ...ELSEWHERE, cwd: world.folder })).toBe(stack.prints);
    },
  );
});
