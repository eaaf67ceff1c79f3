/**
 * The shortest input near `input` of which `fails` still says so: ever smaller stretches are left out as long as that
 * changes nothing, then characters are made plain. At most `tries` are made.
 */
export async function minimise(
  input: Buffer,
  fails: (candidate: Buffer) => boolean | Promise<boolean>,
  tries = 2_000,
): Promise<Buffer> {
  let best = input;
  let left = tries;
  const takes = async (candidate: Buffer): Promise<boolean> => {
    if (left <= 0 || candidate.equals(best)) return false;
    left -= 1;
    if (!(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.length && left > 0; ) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      if (!(await takes(shorter))) at += size;
    }
  }
  for (let at = 0; at < best.length && left > 0; at += 1) {
    const plain = Buffer.from(best);
    plain[at] = 0x61;
    await takes(plain);
  }
  return best;
}
