import { nonEmptyText, scalar } from '../../yaml/scalars.ts';
import { group, section, setting } from './declare.ts';
import { addressBefore, retry, textLike } from './forms.ts';

const OTHER_HEADERS = [
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

const headerName = scalar('the name of a header such as Authorization', (value, expect) => {
  if (!/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(value)) return undefined;
  return OTHER_HEADERS.includes(value.toLowerCase()) ? expect('a header that carries nothing else') : value;
});

export const CONTAINER = section(
  'The container',
  {
    live: true,
    before: ['The locally hosted interface; absent as a whole it is allowed. Alerts do not need it.'],
  },
  {
    container: group({
      url: setting(addressBefore(/^v1$/), 'Address without `/v1`; https, or http on this machine', {
        env: ['CONTAINER_URL'],
        secrecy: 'address',
      }),
      // Basic authorization ends the name at its first colon.
      username: setting(textLike(/^[^:]+$/, 'a name without a colon'), 'Basic authorization of the login', {
        env: ['CONTAINER_USERNAME'],
        secrecy: 'text',
      }),
      password: setting(
        nonEmptyText,
        '`pacekeeper container login --new-password-from NAME` sets the one that a first login must set',
        { env: ['CONTAINER_PASSWORD'], secrecy: 'secret' },
      ),
      token_header: setting(
        headerName,
        'The header that carries the token of a login: as a bearer in `Authorization`, bare in any other',
        { default: 'Authorization' },
      ),
      retry: retry('As for `ads.retry`'),
    }),
  },
);
