import { LOGIN_PATH, linkFrom } from '../../domain/pages.ts';
import { html } from '../../views/html/html.ts';
import { frame } from './frame.ts';
import type { RenderedPage } from './page-source.ts';
import { BRAND } from './shell.ts';

interface LoginPage {
  readonly status: number;
  readonly path: string;
  /** The page to show after the login. */
  readonly next: string;
  readonly problem?: string;
}

export function loginPage({ status, path, next, problem }: LoginPage): RenderedPage {
  const told = problem === undefined ? undefined : html`<p class="problem" role="alert" id="problem">${problem}</p>`;
  const described = problem === undefined ? undefined : html` aria-describedby="problem" aria-invalid="true"`;
  const body = html`<div class="card"><p class="brand">${BRAND}</p>${told}
<form class="login" method="post" action="${linkFrom(path, LOGIN_PATH)}">
<label for="token">Token</label>
<input id="token" name="token" type="password" required autocomplete="current-password" autocapitalize="none" spellcheck="false" maxlength="200" autofocus${described}>
<input type="hidden" name="next" value="${next}">
<button type="submit">Log in</button>
</form>
<p class="note">To make a token, run <code>pacekeeper serve token</code> on the machine that serves this page. A login lasts 12 hours.</p></div>`;
  return { status, html: frame({ path, title: 'Log in', isKnown: false, body }) };
}
