import { hostname } from 'node:os';
import { minuteText } from '../../domain/civil-date.ts';
import type { LockHolder } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';

/** The holder of a run lock leaves this text for others. */
export function holderText(command: string, since: string): string {
  return JSON.stringify({ command, process: process.pid, host: hostname(), since });
}

/** Earlier versions wrote a sentence instead of JSON. */
export function holderIn(text: unknown): LockHolder {
  const found = typeof text === 'string' ? parseJson(text) : undefined;
  const isSentence = typeof text === 'string' && (typeof found !== 'object' || found === null);
  const { command, process: id, host, since } = (isSentence ? {} : (found ?? {})) as Record<string, string | undefined>;
  if (command !== undefined) {
    const start = since === undefined ? '' : `, since ${minuteText(since)}`;
    return { holder: `${command}, process ${id} on ${host}${start}`, command, since };
  }
  return { holder: isSentence ? text : 'another process', command, since };
}

/** One of the tries of a task. */
export interface TaskLease {
  readonly queue: string;
  readonly id: string;
  /** The number of earlier tries. */
  readonly tries: number;
}

/** A run of another process. */
export interface JoinedRun {
  readonly runId: bigint;
  readonly token: bigint;
  /** The task of the caller. */
  lease(): TaskLease | undefined;
}
