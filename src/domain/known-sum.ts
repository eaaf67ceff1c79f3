/** A sum of which a part is not known is not known. */
export function sumOfKnown(values: readonly (bigint | undefined)[]): bigint | undefined {
  let sum = 0n;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}
