import { chromium } from 'playwright-core';
const [,, address, token, width, js, ...paths] = process.argv;
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu'] });
const c = await b.newContext({ javaScriptEnabled: js === '1', viewport: { width: +width, height: 900 } });
const p = await c.newPage(); p.setDefaultTimeout(5000);
await p.goto(address + '/');
await p.getByLabel('Token').fill(token); await p.getByRole('button', { name: 'Log in' }).click();
await p.locator('header.shell').waitFor();
for (const path of paths) { await p.goto(address + path); console.log('=====', path); console.log(await p.locator('body').innerText());
 await p.screenshot({ path: `/tmp/tshots/${path.replaceAll(/[\/?=&]/g,'_')}-${width}.png`, fullPage: true }); }
await b.close();
