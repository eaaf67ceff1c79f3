/** In the address of a database, names a file of authorities that are trusted beside those of Node. */
export const CA_FILE_PARAMETER = 'pacekeeper_ca_file';

export function withCaFile<Url extends string | undefined>(url: Url, file: string | undefined): Url {
  if (url === undefined || file === undefined) return url;
  const value = encodeURIComponent(file).replaceAll('%2F', '/');
  return `${url}${url.includes('?') ? '&' : '?'}${CA_FILE_PARAMETER}=${value}` as Url;
}
