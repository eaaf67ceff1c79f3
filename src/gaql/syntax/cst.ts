import type { CstElement, CstNode, IToken } from 'chevrotain';
import { tokenSpan } from './syntax-messages.ts';
import { Name, REFUSED_WORDS } from './tokens.ts';
import type { FieldRef } from './tree.ts';

const isToken = (element: CstElement): element is IToken => 'image' in element;

/** The token, unless the parser invented it to go on. */
function written(token: IToken | undefined): IToken | undefined {
  return token?.isInsertedInRecovery ? undefined : token;
}

/** The node's own written tokens of that name, in the order of the text. */
export function tokens(node: CstNode, name: string): IToken[] {
  return (node.children[name] ?? []).filter(isToken).filter((token) => written(token) !== undefined);
}

export function children(node: CstNode | undefined, name: string): CstNode[] {
  return (node?.children[name] ?? []).filter((element): element is CstNode => !isToken(element));
}

export const child = (node: CstNode, name: string): CstNode | undefined => children(node, name)[0];

/** Every written token of a node in the order of the text, its inner nodes' too unless told otherwise. */
export function tokensOf(node: CstNode, deep = true): IToken[] {
  const found: IToken[] = [];
  const collect = (from: CstNode): void => {
    for (const element of Object.values(from.children).flat()) {
      if (isToken(element)) {
        if (written(element)) found.push(element);
      } else if (deep) collect(element);
    }
  };
  collect(node);
  return found.sort((a, b) => a.startOffset - b.startOffset);
}

/** The node's own name; undefined where there is none, or a word that was refused. */
export function nameOf(node: CstNode): IToken | undefined {
  const name = tokens(node, Name.name)[0];
  return name && !REFUSED_WORDS.has(name.tokenType) ? name : undefined;
}

export function buildField(node: CstNode): FieldRef[] {
  const name = nameOf(node);
  return name ? [{ kind: 'field', name: name.image, span: tokenSpan(name) }] : [];
}

/** The first item that follows another without a separator between them. Both lists are in the order of the text. */
export function missingSeparator<Item extends { readonly span: FieldRef['span'] }>(
  items: readonly Item[],
  separators: readonly IToken[],
): Item | undefined {
  let next = 0;
  for (const [index, item] of items.entries()) {
    const before = items[index - 1]?.span.end.offset;
    while (before !== undefined && (separators[next]?.startOffset ?? Number.POSITIVE_INFINITY) < before) next += 1;
    const offset = separators[next]?.startOffset ?? Number.POSITIVE_INFINITY;
    if (before !== undefined && offset > item.span.start.offset) return item;
  }
  return undefined;
}
