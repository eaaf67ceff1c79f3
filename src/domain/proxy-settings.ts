/** The proxies that requests leave through: HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  /** For addresses that begin with http://: `http://user:password@host:port`, user and password where it wants them. */
  readonly http: string | undefined;
  /** For addresses that begin with https://. */
  readonly https: string | undefined;
  /** Hosts that are reached without: names, `.suffixes`, each with a port if need be, separated by commas; `*` for all. */
  readonly bypass: string;
}
