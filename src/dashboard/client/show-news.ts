interface News {
  readonly run: string;
  readonly ended: boolean;
  readonly text: string;
}

/**
 * Shows news of runs in the line of the page, only as text. One page must not mix two publications. So its figures never
 * change by themselves, and the line offers the new ones. A hidden page listens to nothing, because a browser
 * opens only six connections to a server.
 */
export function showNews(): void {
  const line = document.querySelector<HTMLElement>('.live');
  const script = document.currentScript;
  if (line === null || !(script instanceof HTMLScriptElement)) return;
  const here = script.src;
  let source: EventSource | undefined;
  let shown: string | undefined;
  const show = ({ data }: MessageEvent<string>): void => {
    if (data === shown) return;
    shown = data;
    const { run, ended, text }: News = JSON.parse(data);
    // The page was made after the end of this run.
    if (ended && line.dataset.ended === run) return;
    line.textContent = text;
    if (ended) line.append(' ', linkTo(new URL(`runs/${run}`, here)), ' ', newFigures());
  };
  const listen = (): void => {
    source?.close();
    source = undefined;
    if (document.hidden) return;
    source = new EventSource(new URL('live', here));
    source.addEventListener('message', show);
  };
  document.addEventListener('visibilitychange', listen);
  addEventListener('pageshow', listen);
  addEventListener('pagehide', () => source?.close());
}

function linkTo({ href }: URL): HTMLElement {
  const link = document.createElement('a');
  link.href = href;
  link.textContent = 'Show the run';
  return link;
}

function newFigures(): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Show new figures';
  button.addEventListener('click', () => location.reload());
  return button;
}
