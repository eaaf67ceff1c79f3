import { fillBlocks } from './fill-blocks.ts';
import { renderCommands } from './render-commands.ts';
import { renderConfigurationPage } from './render-configuration.ts';
import { renderListings } from './render-listings.ts';
import { renderQueryLanguage } from './render-query-language.ts';
import { troubleshootingBlocks } from './troubleshooting-blocks.ts';

/**
 * The texts of all generated pages by their paths from the project's folder. `read` gives a page as it is: of those that
 * people write, only the blocks between two comments are made anew.
 */
export function generatedPages(read: (path: string) => string): ReadonlyMap<string, string> {
  const withBlocks = (path: string, blocks: ReadonlyMap<string, string>): [string, string] => [
    path,
    fillBlocks(read(path), blocks, path),
  ];
  return new Map([
    ['docs/commands.md', renderCommands()],
    ['docs/configuration.md', renderConfigurationPage()],
    ['docs/query-language.md', renderQueryLanguage()],
    withBlocks('docs/output.md', new Map([['listings', renderListings()]])),
    withBlocks('docs/troubleshoot.md', troubleshootingBlocks()),
  ]);
}
