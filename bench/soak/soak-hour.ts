/** What an hour of the soak left, one figure each; MiB, seconds, or a number of files. */
export interface SoakHour {
  readonly hour: number;
  /** Of the hour's run, from its start to its end. */
  readonly seconds: number;
  readonly runPeakMiB: number;
  readonly runDescriptors: number;
  readonly daemonMiB: number;
  readonly daemonDescriptors: number;
  readonly serveMiB: number;
  readonly serveDescriptors: number;
  /** The largest that the log of `state.sqlite` was seen. */
  readonly walMiB: number;
  readonly stateMiB: number;
  readonly warehouseMiB: number;
  /** With its log. */
  readonly inboxMiB: number;
  /** In the data folder, without the records of runs, of which the newest 400 are kept. */
  readonly files: number;
}

/** A figure that must not grow with the hours, or only by what each run notes. */
export interface Curve {
  readonly name: keyof SoakHour;
  readonly title: string;
  readonly unit: string;
  /** The mean of the last quarter by that of the second one may be so much. */
  readonly ratioMax: number;
  /**
   * Bytes that it may grow by with each of these from the second quarter to the last, of a figure in MiB that is judged by
   * this and not by `ratioMax`: what runs note of accounts and what webhooks bring is kept for longer than a soak lasts.
   */
  readonly grownMax?: number;
  readonly grownWith?: keyof EachHour;
  /** Judged by the highest of each quarter and not by the mean: for what lasts so shortly that a look often misses it. */
  readonly byHighest?: boolean;
}

/** How many of what makes something grow there are in an hour, each account with its run. */
export interface EachHour {
  readonly account: number;
  readonly webhook: number;
}

export interface JudgedCurve extends Curve {
  readonly ratio: number;
  /** Bytes with each, where that is what is judged. */
  readonly grown: number | undefined;
  /** It does not grow, or by no more than it may. */
  readonly flat: boolean;
}

const MIB = 1024 * 1024;

/** The first quarter fills what is kept, so it is not asked. Throws for fewer hours than quarters. */
export function judgeCurve(curve: Curve, hours: readonly SoakHour[], each: EachHour): JudgedCurve {
  const quarter = Math.floor(hours.length / 4);
  if (quarter === 0) throw new RangeError(`Judging a curve: found ${hours.length} hours, expected at least 4.`);
  const levelFrom = (from: number) => {
    const values = hours.slice(from, from + quarter).map((hour) => hour[curve.name]);
    return curve.byHighest ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0) / quarter;
  };
  const before = levelFrom(quarter);
  const last = levelFrom(hours.length - quarter);
  const ratio = before === last ? 1 : last / before;
  if (curve.grownMax === undefined) return { ...curve, ratio, grown: undefined, flat: ratio <= curve.ratioMax };
  // One run an hour, from the middle of the one quarter to that of the other.
  const runs = hours.length - 2 * quarter;
  const grown = ((last - before) * MIB) / (runs * each[curve.grownWith ?? 'account']);
  return { ...curve, ratio, grown, flat: grown <= curve.grownMax };
}
