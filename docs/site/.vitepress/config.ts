import { cpSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../../generator/markdown.ts';
import { sidebarOf } from '../sidebar.ts';

const HERE = fileURLToPath(import.meta.url);
const PROJECT = resolve(dirname(HERE), '../../..');

const read = (page: string) => readFileSync(join(PROJECT, page), 'utf8');
const titleOf = (page: string) => /^# (.*)$/m.exec(read(page))?.[1] ?? page;

/** Files that pages link to and that are no pages: they are copied, so that the links hold. */
const linkedFiles = new Set<string>();

export default defineConfig({
  title: 'pacekeeper',
  description: 'Reporting and budget automation for search advertising',
  srcDir: PROJECT,
  srcExclude: [
    '!(README|SECURITY|CHANGELOG).md',
    '!(docs|test|bench)/**/*.md',
    'docs/*/**/*.md',
    'test/!(counterparties)/**/*.md',
    'bench/!(peers)/**/*.md',
  ],
  outDir: join(PROJECT, 'dist/site'),
  cacheDir: join(PROJECT, 'docs/site/node_modules/.cache'),
  rewrites: (page) => page.replace(/README\.md$/, 'index.md'),
  markdown: {
    // The pages are plain Markdown: braces are text, and headings are linked to as a code host names them.
    attrs: { disable: true },
    emoji: { shortcuts: {} },
    anchor: { slugify: anchorOf },
    config(md) {
      for (const rule of ['text', 'code_inline']) {
        const plain = md.renderer.rules[rule];
        md.renderer.rules[rule] = (...args) => plain?.(...args).replaceAll('{{', '&#123;&#123;') ?? '';
      }
      const ofPage = md.renderer.rules.link_open;
      md.renderer.rules.link_open = (tokens, at, options, env, self) => {
        const token = tokens[at];
        const href = token?.attrGet('href') ?? '';
        const isPage = /^([a-z]+:|#)|\.md(#|$)/.test(href);
        if (isPage) token?.attrSet('href', href.replace(/(?<![^/])README\.md/, 'index.md'));
        else {
          linkedFiles.add(join(dirname(env.relativePath), href));
          // The site's own router would look for a page.
          token?.attrSet('target', '_self');
        }
        return isPage && ofPage ? ofPage(tokens, at, options, env, self) : self.renderToken(tokens, at, options);
      };
    },
  },
  vite: {
    // The esbuild that reads this project's tsconfig.json no longer writes for the browsers of 2020.
    build: { target: 'es2022' },
    plugins: [
      {
        name: 'packages-of-this-folder',
        enforce: 'pre',
        // Pages lie above the folder that has the packages, so their own way up does not lead there.
        resolveId(id, importer) {
          const isOfPage = /^vue(\/|$)/.test(id) && importer !== undefined && /\.md(\?|$)/.test(importer);
          return isOfPage ? this.resolve(id, HERE, { skipSelf: true }) : null;
        },
      },
    ],
  },
  buildEnd({ outDir }) {
    for (const file of linkedFiles) cpSync(join(PROJECT, file), join(outDir, file));
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: sidebarOf(read('docs/README.md'), titleOf),
    outline: [2, 3],
  },
});
