/** The key `/` leads to the search, unless a person is typing. */
export function focusSearchByKey(): void {
  document.addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof Element && event.target.matches('input, select, textarea, [contenteditable]');
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    const field = document.querySelector<HTMLElement>('.search input');
    if (field === null || document.querySelector('dialog[open]') !== null) return;
    event.preventDefault();
    field.focus();
  });
}
