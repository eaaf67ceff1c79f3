import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, trusted } from '../../src/views/html/html.ts';

describe('markup', () => {
  it('escapes every text', () => {
    const name = `<script>alert("1")</script> & 'co'`;
    expect(html`<td title="${name}">${name}</td>`.markup).toBe(
      '<td title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39;</td>',
    );
  });

  it('joins lists, skips missing values, and writes zero', () => {
    const items = ['a', 'b'].map((item) => html`<li>${item}</li>`);
    expect(html`<ul>${items}${undefined}${false}</ul>${0}${10n}`.markup).toBe('<ul><li>a</li><li>b</li></ul>010');
  });

  it('replaces control characters and lone surrogates', () => {
    expect(html`${'a\u0000b\u001b[31m\ud800'}`.markup).toBe('a·b·[31m\ufffd');
  });

  it('replaces direction overrides, and keeps right-to-left scripts', () => {
    expect(html`${'a\u202eb\u2066c'} ${'שלום\u200e'}`.markup).toBe('a·b·c שלום\u200e');
  });

  it('keeps trusted markup unchanged', () => {
    expect(html`${trusted('<b>1</b>')}`.markup).toBe('<b>1</b>');
  });

  it('never lets any text become markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(html`${text}`.markup).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
      }),
    );
  });
});
