/**
 * How many decimals each currency has: ISO 4217 list one, as published on 2026-01-01. A table of our own and not the
 * runtime's, because CLDR says how prices are written in shops (no decimals for HUF, IDR, COP and two dozen others) and
 * keeps currencies that are no more, and because it changes with the runtime's version.
 *
 * The advertising interface has the last word, `currency_constant.billable_unit_micros`. It takes 10,000 micros for the
 * currencies with two decimals that were seen. Where its unit is coarser than the standard's, validation refuses the
 * amount with NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT before anything is changed.
 *
 * Codes without a minor unit (gold, special drawing rights, test codes) and withdrawn ones (BGN, HRK) are not in it: no
 * amount in them is ever changed.
 */
const CODES_BY_DECIMALS: ReadonlyMap<number, string> = new Map([
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP ' +
      'COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR ' +
      'IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN ' +
      'NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN ' +
      'SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]);

/** By code. */
export const CURRENCY_DECIMALS: ReadonlyMap<string, number> = new Map(
  [...CODES_BY_DECIMALS].flatMap(([decimals, codes]) => codes.split(' ').map((code) => [code, decimals] as const)),
);
