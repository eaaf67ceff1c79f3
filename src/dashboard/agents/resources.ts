import { readFile } from 'node:fs/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { packageRoot } from '../../config/package-root.ts';
import type { ToolDeps } from './tool.ts';

const TEXTS = [
  { name: 'query-language', title: 'The query language', file: 'docs/query-language.md' },
  { name: 'rule-language', title: 'The rule language', file: 'docs/rules.md' },
];

/** Texts that a host can show to its model without a call of a tool. */
export function addResources(server: McpServer, { runCommand }: Pick<ToolDeps, 'runCommand'>): void {
  for (const { name, title, file } of TEXTS) {
    server.registerResource(name, `pacekeeper://${name}`, { title, mimeType: 'text/markdown' }, async ({ href }) => {
      const text = await readFile(new URL(file, packageRoot()), 'utf8');
      return { contents: [{ uri: href, mimeType: 'text/markdown', text }] };
    });
  }
  const ofCommand = (name: string, title: string, args: readonly string[]) =>
    server.registerResource(name, `pacekeeper://${name}`, { title, mimeType: 'text/plain' }, async ({ href }) => {
      const { text } = await runCommand(args);
      return { contents: [{ uri: href, mimeType: 'text/plain', text }] };
    });
  ofCommand('dictionary', 'Tables, and what fills and reads them', ['tables']);
  ofCommand('latest-report', 'The last report and what waits', ['status']);
}
