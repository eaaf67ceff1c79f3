/** What goes wrong with one request, for tests of what a client does then. */
export type Fault =
  /** This answer instead of the work. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** An HTML page instead of the work, with status 200 unless another is given: a proxy or a maintenance page. */
  | { readonly kind: 'html'; readonly status?: number }
  /** The connection is closed before anything is done. */
  | { readonly kind: 'reset_before' }
  /** Nothing is done and nothing is answered. */
  | { readonly kind: 'hang_before' }
  /** A mutate refuses these of its operations, whatever they ask for, and carries the others out as usual. */
  | {
      readonly kind: 'refuse_operations';
      readonly indexes: readonly number[];
      /** `{"databaseError":"CONCURRENT_MODIFICATION"}`. */
      readonly errorCode: Readonly<Record<string, string>>;
    }
  /** The work is done, the connection closed without an answer. */
  | { readonly kind: 'reset_after' }
  /** The work is done and nothing is answered. */
  | { readonly kind: 'hang_after' }
  /** The work is done; the answer is 200 with this JSON text. */
  | { readonly kind: 'replace'; readonly body: string }
  /** The first bytes of the real answer's body as sent (gzip counts compressed), then the connection is closed. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** The first bytes of the real answer's body, then nothing more while the connection stands. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** The first bytes of the real answer's body, then a clean end as if that were all. */
  | { readonly kind: 'truncate'; readonly afterBytes: number }
  /** Some batches of a stream, then an element with an error and a clean `]`. Other answers become an error 500. */
  | { readonly kind: 'error_element'; readonly afterBatches: number }
  /** The first bytes of the real answer's body, then the connection is reset, so that what is on its way may be lost too. */
  | { readonly kind: 'reset_at'; readonly afterBytes: number }
  /** The whole answer, a few bytes at a time with a pause between them. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly pauseMs: number }
  /** The whole body under a content length that is so much too large, or too small where negative; then the connection ends. */
  | { readonly kind: 'wrong_length'; readonly excess: number }
  /** The first bytes in good chunks, then one whose size is no number. */
  | { readonly kind: 'bad_chunk'; readonly afterBytes: number }
  /**
   * An answer that says it is compressed. Flip: with one wrong bit in the middle. Cut: without checksum and length, and a
   * clean end. Plain: it is not.
   */
  | { readonly kind: 'bad_gzip'; readonly how: 'flip' | 'cut' | 'plain' }
  /** The work is done; the answer is the one that another account would have got. */
  | { readonly kind: 'other_account' }
  /** The work is done; the answer is a good one to another question. */
  | { readonly kind: 'other_answer' };

/** The faults whose answer is right until it is sent. */
export type SpoiltSending = Extract<
  Fault,
  { readonly kind: 'reset_at' | 'drip' | 'wrong_length' | 'bad_chunk' | 'bad_gzip' }
>;
