import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { divideValues, newEnvFile, newSettingsFile } from '../../config/new-settings-file.ts';
import { packageRoot } from '../../config/package-root.ts';
import { SCHEMA_FILE, settingsJsonSchema } from '../../config/settings-json-schema.ts';
import type { Answers } from './gather-answers.ts';

export interface NewFile {
  /** Inside the folder. */
  readonly path: string;
  readonly text: string;
  /** What it is for, a few words. */
  readonly purpose: string;
  /** For its owner only. */
  readonly secret: boolean;
  /** Why it is not written; undefined where it is. */
  readonly kept: string | undefined;
}

/** The report paces accounts and campaigns against their budgets by the last two. */
const QUERIES = ['keyword_stats.sql', 'campaign.sql', 'campaign_budget.sql'];
const RULE = 'trim-expensive-clicks.yaml';
const RULE_SCHEMA = 'rule.schema.json';

/**
 * What is written into the folder, and what stands there already and stays as it is. Where there is a `pacekeeper.yaml`, all that
 * it would have said of the services goes into `.env`, which wins over it.
 */
export function newFiles(folder: string, answers: Answers): NewFile[] {
  const file = (path: string, text: string, purpose: string): NewFile => {
    const kept = existsSync(join(folder, path)) ? 'it was there' : undefined;
    return { path, text, purpose, secret: path === '.env', kept };
  };
  // A query or a rule among those of somebody else would be run with them.
  const among = (place: string, name: string, text: string, purpose: string): NewFile => {
    const others = filesIn(join(folder, place));
    const found = file(join(place, name), text, purpose);
    return others.length === 0 ? found : { ...found, path: `${place}/`, kept: 'it has files of its own' };
  };
  const settings = file('pacekeeper.yaml', newSettingsFile(answers), `settings, target ${answers.target}`);
  const secrets = settings.kept === undefined ? divideValues(answers).env : withTarget(answers);
  const rule = shipped(`rules/${RULE}`)
    .replace(/^currency: .*$/m, `currency: ${answers.currency}`)
    .replace(/^mode: .*$/m, 'mode: propose                       # then approve: a person is asked; apply: it acts');
  const files = [
    settings,
    file(SCHEMA_FILE, settingsJsonSchema(), 'lets editors complete them'),
    ...(secrets.size === 0 ? [] : [file('.env', newEnvFile(secrets), 'secrets, readable by you alone')]),
    file('.gitignore', '.env\ndata/\n', 'keeps .env and data/ out of version control'),
    ...QUERIES.map((name) => among('queries', name, shipped(`queries/${name}`), 'what is read')),
    among('rules', RULE, rule, 'what is decided by it'),
    among('rules', RULE_SCHEMA, shipped(`rules/${RULE_SCHEMA}`), 'lets editors complete rules'),
  ];
  return files.filter(({ path }, index) => files.findIndex((one) => one.path === path) === index);
}

function withTarget({ target, values }: Answers): ReadonlyMap<string, string> {
  return target === 'live' ? new Map([['PACEKEEPER_TARGET', 'live'], ...values]) : values;
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function shipped(path: string): string {
  return readFileSync(new URL(path, packageRoot()), 'utf8');
}
