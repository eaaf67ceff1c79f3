/**
 * Acts without leaving the page. The dialog shows the pages of an act: its confirmation, its result, or a login if the
 * session has ended. The server makes and guards them, so this script decides nothing.
 *
 * A form is sent once. If its answer is lost, it is unknown if the act was done. So nothing is sent again by itself, and
 * the proof in the form is spent by its first use.
 */
export function actInPlace(): void {
  const dialog = createDialog();
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href*="?act="]') : null;
    if (link === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    dialog.open(link.href, link.textContent);
  });
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches('form.plan')) return;
    event.preventDefault();
    const fields = [...new FormData(form, event.submitter)].map(([name, value]) => [name, String(value)]);
    dialog.open(`${form.action}?${new URLSearchParams(fields)}`, event.submitter?.textContent ?? '');
  });
}

const UNANSWERED = 'The server did not answer. Check the connection, then try again.';
const IN_DOUBT =
  'The answer did not arrive, so it is unknown if this was done. Look at the inbox before you try again.';

/** Acts wait for each other, and some wait for the service. */
const ANSWER_MS = 120_000;

function createDialog() {
  const dialog = document.createElement('dialog');
  dialog.className = 'sheet';
  const shown = document.createElement('div');
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'close';
  close.textContent = 'Close';
  dialog.append(shown, close);
  document.body.append(dialog);
  let isSent = false;
  let isSending = false;
  let last = 0;

  const tell = (words: string, role: 'status' | 'alert'): void => {
    const line = document.createElement('p');
    line.setAttribute('role', role);
    line.className = role === 'alert' ? 'problem' : 'note';
    line.textContent = words;
    shown.replaceChildren(line);
  };
  const show = (markup: string, address: string): void => {
    const page = new DOMParser().parseFromString(markup, 'text/html');
    const parts = [...(page.querySelector('main')?.children ?? [])];
    for (const part of parts) place(part, address);
    shown.replaceChildren(...parts);
    dialog.setAttribute('aria-label', page.querySelector('h1')?.textContent ?? '');
    (shown.querySelector<HTMLElement>('[autofocus]') ?? close).focus();
  };
  const ask = async (request: Request, waiting: string, failed: string): Promise<void> => {
    last += 1;
    const own = last;
    tell(waiting, 'status');
    try {
      const answer = await fetch(request, { signal: AbortSignal.timeout(ANSWER_MS) });
      const markup = await answer.text();
      // A late answer must not replace the act that a person is about to confirm.
      if (own === last) show(markup, answer.url);
    } catch {
      if (own === last) tell(failed, 'alert');
    }
  };

  dialog.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    event.preventDefault();
    isSent = true;
    isSending = true;
    const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    void ask(new Request(form.action, { method: 'POST', body }), 'In progress…', IN_DOUBT).finally(() => {
      isSending = false;
    });
  });
  // The person must see the result of a form that is under way.
  dialog.addEventListener('cancel', (event) => isSending && event.preventDefault());
  close.addEventListener('click', () => isSending || dialog.close());
  dialog.addEventListener('close', () => {
    last += 1;
    shown.replaceChildren();
    // Figures, counts and lists may have changed.
    if (isSent) location.reload();
  });
  return {
    open(address: string, label: string): void {
      dialog.setAttribute('aria-label', label);
      // A result can lead to the next act.
      if (!dialog.open) dialog.showModal();
      void ask(new Request(address), 'Loading…', UNANSWERED);
    },
  };
}

/** Addresses and the heading of a part, for the page on which it stands now. */
function place(part: Element, address: string): void {
  for (const link of part.querySelectorAll<HTMLAnchorElement>('a[href]'))
    link.href = new URL(link.getAttribute('href') ?? '', address).href;
  for (const form of part.querySelectorAll('form'))
    form.action = new URL(form.getAttribute('action') ?? '', address).href;
  for (const heading of part.querySelectorAll('h1')) {
    const lower = document.createElement('h2');
    lower.append(...heading.childNodes);
    heading.replaceWith(lower);
  }
}
