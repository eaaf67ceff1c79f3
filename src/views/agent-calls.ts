import { type Column, id, instant, number, state, text } from '../storage/columns/column.ts';
import type { StateWord } from '../storage/columns/state-words.ts';
import type { AgentCall } from '../storage/records/agent-call-table.ts';
import { oneList } from './kit/listing.ts';

const CALL_WORDS = {
  begun: ['no answer', 'waits'],
  answered: ['answered', 'good'],
  refused: ['refused', 'plain'],
  failed: ['failed', 'bad'],
} as const satisfies Readonly<Record<AgentCall['state'], StateWord>>;

const COLUMNS: readonly Column<AgentCall>[] = [
  id('id', 'The number of the call.', 'id', { title: 'Call' }),
  instant('began_at', 'When it began.', 'beganAt', { title: 'Began' }),
  text('agent', 'The name of the token, or of `pacekeeper mcp --agent`.', 'agent', { title: 'Agent' }),
  text('tool', 'The tool.', 'tool', { title: 'Tool' }),
  state('state', 'answered, refused or failed. begun: the answer was lost, for example in a crash.', 'state', {
    title: 'Result',
    word: (call) => CALL_WORDS[call.state],
  }),
  text('code', 'Why it was refused.', 'code', { title: 'Code' }),
  number('answer_bytes', 'Size of the answer.', 'answerBytes', { title: 'Bytes' }),
  text('client', 'The name that the client says.', 'client', { title: 'Client' }),
  text('client_version', 'The version that the client says.', 'clientVersion', { title: 'Version' }),
  text('arguments_digest', 'SHA-256 of the arguments. They themselves are not stored.', 'argumentsSha256', {
    title: 'Arguments',
    long: true,
  }),
  instant('ended_at', 'When it ended.', 'endedAt', { title: 'Ended' }),
];

export const AGENT_CALLS = oneList<AgentCall>({
  name: 'agents',
  about: 'One row per call of a tool, newest first. Calls beyond `agents.calls_an_hour` have no row.',
  columns: COLUMNS,
  none: 'No agent has called.',
});
