import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../domain/parse-json.ts';
import type { DecisionFacts, RunFacts, TargetsFacts } from '../page/report-facts.ts';
import { jsonParts } from '../store/json-parts.ts';
import type { StateDb, StateFile } from '../store/open-state.ts';
import { type PastRun, pastRuns } from '../store/run-history.ts';
import { type AccountNames, nameOf, type Redact } from './page-decisions.ts';
import { pacingRecord, pacingRows } from './page-pacing.ts';

const runFile = z.object({
  notes: z.array(z.string()).default([]),
  pacing: pacingRecord,
  run: z.object({
    id: z.union([z.int(), z.string().regex(/^\d{1,18}$/)]),
    command: z.string(),
    started_at: z.string(),
    dry_run: z.boolean().optional(),
  }),
  decisions: z.array(
    z.object({
      rule: z.string(),
      customer_id: z.string(),
      subject: z.string().nullish(),
      campaign_name: z.string().nullish(),
      currency: z.string().nullish(),
      from_micros: z.union([z.string(), z.number()]).nullish(),
      to_micros: z.union([z.string(), z.number()]).nullish(),
      state: z.string(),
      code: z.string().nullish(),
      proposal: z.string().nullish(),
      reason: z.string(),
      detail: z.string().nullish(),
    }),
  ),
});

type RunRecord = z.infer<typeof runFile>;

/** The newest report; before the first the newest run of any other command, and undefined before that. */
export async function lastRunOf(
  db: StateDb,
  redact: Redact,
): Promise<(RunFacts & Pick<PastRun, 'target' | 'targetKind'>) | undefined> {
  const [report] = await pastRuns(db, { command: 'report', limit: 1 });
  const [run] = report ? [report] : await pastRuns(db, { limit: 1 });
  if (run === undefined) return undefined;
  const { error, ...ran } = run;
  return { ...ran, failures: error?.split('\n').map(redact) ?? [] };
}

/** How many of the newest files are looked into: those of a month of a run a day, with room. */
const FILES_MAX = 60;

/** What runs left beside what the tables keep. */
export interface ToldByRuns {
  /** What was refused, and what would be changed if the mode let it. */
  readonly decisions: readonly DecisionFacts[];
  /** How many runs have a record. */
  readonly runs: number;
  /** Where more records were left than are looked into: the oldest of those that are, an instant. */
  readonly since: string | undefined;
  /** What each noted for its reader, by its number. */
  readonly notes: ReadonlyMap<bigint, readonly string[]>;
  /** How the months of the rules' targets went when the newest of them ran; undefined where no rule paces. */
  readonly targets: TargetsFacts | undefined;
}

interface RunsAsked {
  readonly connection: StateFile['connection'];
  readonly folder: string;
  readonly newest: string | undefined;
  readonly since: string;
}

/**
 * What runs refused, would have changed and noted since the instant, from the record that each leaves in `folder` as JSON; nothing else keeps
 * it, asked of any `connection`. `newest`: the record of a run that may not lie there yet, as JSON. What is none of ours is passed over.
 */
export function toldByRuns(
  { connection, folder, newest, since }: RunsAsked,
  names: AccountNames,
  redact: Redact,
): ToldByRuns {
  const records = new Map<bigint, RunRecord>();
  const add = (text: Uint8Array | string | undefined): void => {
    const record = recordOf(connection, text);
    if (record === undefined || record.run.command !== 'report' || record.run.started_at < since) return;
    const id = BigInt(record.run.id);
    if (!records.has(id)) records.set(id, record);
  };
  add(newest);
  const files = runFiles(folder);
  for (const name of files) add(readBytes(join(folder, name)));
  const told = [...records];
  const lasting = told.filter(([, { run }]) => run.dry_run !== true);
  return {
    decisions: lasting.flatMap(([, record]) => toldDecisions(record, names, redact)),
    runs: lasting.length,
    since: files.length < FILES_MAX || told.length < files.length ? undefined : told.at(-1)?.[1].run.started_at,
    notes: new Map(told.map(([id, { notes }]) => [id, notes])),
    targets: targetsOf(told[0]?.[1], names),
  };
}

function targetsOf(record: RunRecord | undefined, names: AccountNames): TargetsFacts | undefined {
  if (record === undefined || record.pacing.length === 0) return undefined;
  return { runId: BigInt(record.run.id), at: record.run.started_at, rows: pacingRows(record.pacing, names) };
}

/** Of what pages show alone: the rest of a record, each account's totals, is as large as the accounts are many. */
function recordOf(connection: StateFile['connection'], json: Uint8Array | string | undefined): RunRecord | undefined {
  const parts = json && jsonParts(connection, json, Object.keys(runFile.shape));
  const members = Object.entries(parts === undefined ? {} : Object(parseJson(parts)));
  const reading = runFile.safeParse(Object.fromEntries(members.filter(([, value]) => value !== null)));
  return reading.success ? reading.data : undefined;
}

function toldDecisions({ run, decisions }: RunRecord, names: AccountNames, redact: Redact): DecisionFacts[] {
  const about = { id: BigInt(run.id), at: run.started_at };
  return decisions.flatMap((decision) => {
    const kind = kindOf(decision);
    return kind === undefined ? [] : [toldDecision(kind, about, decision, names, redact)];
  });
}

type ToldDecision = RunRecord['decisions'][number];

/** What is proposed without a code is asked of nobody; what has one lies in a table, as all has that was sent. */
function kindOf({ state, proposal }: ToldDecision): 'refusal' | 'would_change' | undefined {
  if (state === 'refused') return 'refusal';
  return state === 'proposed' && proposal == null ? 'would_change' : undefined;
}

function toldDecision(
  kind: 'refusal' | 'would_change',
  run: { readonly id: bigint; readonly at: string },
  decision: ToldDecision,
  names: AccountNames,
  redact: Redact,
): DecisionFacts {
  return {
    ...{ runId: run.id, at: run.at, kind, by: 'rule', rule: decision.rule, state: decision.state },
    account: nameOf(names, decision.customer_id),
    subject: decision.campaign_name ?? decision.subject ?? '',
    ...{ actor: undefined, currency: decision.currency ?? undefined },
    fromMicros: amountOf(decision.from_micros),
    toMicros: amountOf(decision.to_micros),
    code: decision.code ?? undefined,
    reference: undefined,
    reason: redact(decision.reason),
    detail: decision.detail == null ? undefined : redact(decision.detail),
  };
}

/** The newest first: they are named by the number of their run. */
function runFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+\.json$/.test(name))
      .sort((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10))
      .slice(0, FILES_MAX);
  } catch {
    return [];
  }
}

function readBytes(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** What one run refused and would have changed, a dry run too; nothing where it left no record. */
export function toldByRun(
  connection: StateFile['connection'],
  folder: string,
  id: bigint,
  names: AccountNames,
  redact: Redact,
): readonly DecisionFacts[] {
  const record = recordOf(connection, readBytes(join(folder, `${id}.json`)));
  return record === undefined || BigInt(record.run.id) !== id ? [] : toldDecisions(record, names, redact);
}

function amountOf(text: string | number | null | undefined): bigint | undefined {
  return text != null && /^-?\d{1,19}$/.test(String(text)) ? BigInt(text) : undefined;
}
