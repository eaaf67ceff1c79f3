// npm 10, which comes with Node 20 and 22, links this platform's Node and then removes the links of the platforms that do not
// fit. All of them are called node_modules/.bin/node. npm rebuild makes the link again.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const modules = new URL('../node_modules/', import.meta.url);
const isBrought = existsSync(new URL('pacekeeper-runtime', modules));
if (isBrought && !existsSync(new URL('.bin/node', modules))) execSync('npm rebuild --ignore-scripts --silent');
