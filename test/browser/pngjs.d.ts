/** Its own types depend on those of any Node. */
declare module 'pngjs' {
  export interface Pixels {
    readonly width: number;
    readonly height: number;
    readonly data: Uint8Array;
  }
  export const PNG: {
    new (size: { readonly width: number; readonly height: number }): Pixels;
    readonly sync: { read(file: Uint8Array): Pixels; write(pixels: Pixels): Buffer };
  };
}
