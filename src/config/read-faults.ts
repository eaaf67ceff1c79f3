import { readFaultText } from '../domain/fault-text.ts';
import type { Env } from './area-problems.ts';

/** The faults that the environment asks for; undefined when it says nothing. */
export function readFaults(env: Env, problems: string[]): readonly string[] | undefined {
  const texts = env('PACEKEEPER_FAULT')
    ?.split(';')
    .filter((text) => text.trim() !== '');
  for (const text of texts ?? []) {
    const reading = readFaultText(text);
    if (reading.kind === 'ok') continue;
    problems.push(`PACEKEEPER_FAULT holds "${text}": found ${reading.found}, expected ${reading.expected}.`);
  }
  return texts;
}
