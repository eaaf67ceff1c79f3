import { type Html, html } from '../../views/html/html.ts';

export function fold(
  { id, title, name }: { readonly id: string; readonly title: string; readonly name?: string },
  body: Html,
): Html {
  return html`<section class="fold"${name !== undefined && html` data-section="${name}"`} aria-labelledby="${id}">
<details><summary><h2 id="${id}">${title}</h2></summary>
${body}</details>
</section>
`;
}
