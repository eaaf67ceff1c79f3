import { failureOf } from '../fuzz-loop.ts';
import type { Target } from '../target.ts';

/** A target whose program is wrong, an input that shows it, and words of what is said then. */
export type WrongProgram = [sentence: string, target: Target, input: string, words: string];

/** What is said of the input; undefined where nothing is. */
export async function saidOf(target: Target, input: string): Promise<string | undefined> {
  return (await failureOf(target, Buffer.from(input)))?.message;
}
