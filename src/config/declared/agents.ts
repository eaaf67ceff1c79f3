import * as z from 'zod';
import { group, section, setting } from '../../language/settings/declare.ts';
import { queryName } from '../../language/settings/forms.ts';
import { wholeNumber } from '../../language/yaml/scalars.ts';

export const AGENTS = section(
  'Agents',
  {
    before: [
      'Limits of programs that read and suggest through `pacekeeper mcp`, or through `/mcp` with a token of the role `agent`. See [agents](agents.md).',
    ],
  },
  {
    agents: group({
      calls_an_hour: setting(wholeNumber(1, 100_000), 'Calls of tools that one agent may make in an hour', {
        default: 600,
      }),
      answer_bytes: setting(
        wholeNumber(4_000, 1_000_000),
        'Longest answer in bytes. A longer one is cut at a whole row, because hosts cut in the middle of a value',
        { default: 40_000 },
      ),
      tables: setting(
        z.array(queryName),
        'Tables of messages, the record, clicks and search terms that agents may read. By default, none of them',
        { default: [] },
      ),
      keep_calls_days: setting(wholeNumber(1, 3650), 'Days to keep the list of calls', { default: 400 }),
    }),
  },
);
