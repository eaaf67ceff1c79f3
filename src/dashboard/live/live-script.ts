import { createHash } from 'node:crypto';

/**
 * The key `/` leads to the search. Shows news in the line of the page, only as text. A hidden page listens to nothing, because a browser opens only six
 * connections to a server.
 */
export const LIVE_SCRIPT = `'use strict';
(() => {
  const here = document.currentScript.src;
  const line = document.querySelector('.live');
  let news;
  let shown;
  const show = ({ data }) => {
    if (data === shown) return;
    shown = data;
    const { run, ended, text } = JSON.parse(data);
    if (ended && line.textContent === '') return;
    line.textContent = text;
    if (!ended) return;
    const link = document.createElement('a');
    link.href = new URL('runs/' + run, here).href;
    link.textContent = 'Show the run';
    line.append(' ', link);
  };
  const listen = () => {
    if (news) news.close();
    news = undefined;
    if (document.hidden) return;
    news = new EventSource(new URL('live', here));
    news.addEventListener('message', show);
  };
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(?:input|select|textarea)$/i.test(event.target.tagName);
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    document.querySelector('.search input').focus();
  });
  document.addEventListener('visibilitychange', listen);
  addEventListener('pageshow', listen);
  addEventListener('pagehide', () => news && news.close());
})();
`;

/** Part of the script's address, so that a browser never uses the script of another version. */
export const SCRIPT_VERSION = createHash('sha256').update(LIVE_SCRIPT).digest('hex').slice(0, 12);
