import { readFile } from 'node:fs/promises';
import { initWasm, Resvg } from '@resvg/resvg-wasm';

/** Letters of other scripts are not in the font. */
const SCRIPTS =
  /^[\p{Script=Common}\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}]*$/u;

/** Removes emoji. Empty if the font lacks a letter. */
export function drawable(text: string): string {
  const letters = text.replace(/\p{Extended_Pictographic}/gu, '');
  return SCRIPTS.test(letters) ? letters : '';
}

let loaded: Promise<Uint8Array[]> | undefined;

async function load(): Promise<Uint8Array[]> {
  await initWasm(await readFile(new URL(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))));
  const fonts = [
    import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
    import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
  ];
  return Promise.all(fonts.map((font) => readFile(new URL(font))));
}

/** The font is part of the program, so every machine draws the same picture. Throws for invalid SVG. */
export async function renderPng(svg: string): Promise<Uint8Array> {
  loaded ??= load();
  const font = { fontBuffers: await loaded, defaultFontFamily: 'DejaVu Sans' };
  const drawing = new Resvg(svg, { font });
  const image = drawing.render();
  const png = image.asPng();
  image.free();
  drawing.free();
  return png;
}
