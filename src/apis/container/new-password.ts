const LENGTH_MIN = 8;
const LENGTH_MAX = 64;

/** What a container asks of a new password (the public rule); each lacking part completes "It needs …". */
export function lackedByPassword(password: string): string[] {
  const parts: readonly (readonly [RegExp, string])[] = [
    [/\d/, 'a digit'],
    [/[A-Z]/, 'a capital letter'],
    [/[a-z]/, 'a small letter'],
    [/[^A-Za-z0-9\s]/, 'a special character'],
  ];
  const length = password.length >= LENGTH_MIN && password.length <= LENGTH_MAX;
  return [
    ...(length ? [] : [`${LENGTH_MIN} to ${LENGTH_MAX} characters`]),
    ...parts.flatMap(([pattern, name]) => (pattern.test(password) ? [] : [name])),
  ];
}
