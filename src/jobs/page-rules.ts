import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readYaml } from '../yaml/read-yaml.ts';
import { isRuleFile, nameOf } from './load-inputs.ts';
import { readText } from './read-text.ts';

const described = z.looseObject({ description: z.string().optional().catch(undefined) });

/** What each rule of the folder is for, by its name, as its file says now. What cannot be read has no words: a check tells why. */
export function ruleTextsIn(folder: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const file of filesIn(folder).filter(isRuleFile)) {
    const reading = readText(join(folder, file));
    const rule = reading.kind === 'ok' ? readYaml(reading.source, described) : undefined;
    if (rule?.kind !== 'ok') continue;
    const text = rule.value.description?.trim() ?? '';
    if (text !== '') texts.set(nameOf(file), text);
  }
  return texts;
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
