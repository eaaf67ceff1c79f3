import type * as z from 'zod';
import type { Settings } from '../../config/settings.ts';
import type { ExploreSource } from '../explore/explore-source.ts';
import type { RunAct } from '../server/act-route.ts';
import type { PageSource } from '../status/page-source.ts';
import type { Found, Refused } from './answer.ts';

export interface ToolDeps {
  /** The name of the token, or of the program on this machine. */
  readonly agent: string;
  readonly settings: Settings;
  readonly source: Pick<PageSource, 'dataStanding' | 'checkSelect' | 'noteCall'>;
  /** Undefined if the program that runs queries is not built. */
  readonly explore: ExploreSource | undefined;
  readonly runCommand: RunAct;
  /** Aborted when the agent leaves. */
  readonly gone: AbortSignal;
}

/** Hosts trust these values, and ask people less often for a tool that only reads. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** The shape of `data` in the answer. */
  readonly data: z.ZodType;
  readonly hints: typeof READS;
  /** `offset` counts the rows of earlier pages. Only a tool that returns a `page` needs it. */
  run(input: z.output<Input>, deps: ToolDeps, offset: number): Promise<Found | Refused>;
}

/** Checks `run` against the input. */
export function tool<Input extends z.ZodObject>(one: Tool<Input>): Tool {
  return one as unknown as Tool;
}
