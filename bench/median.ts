export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [lower, upper] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (lower === undefined || upper === undefined) throw new RangeError('There is no median of nothing.');
  return (lower + upper) / 2;
}
