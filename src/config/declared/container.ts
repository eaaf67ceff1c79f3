import { group, section, setting } from '../../language/settings/declare.ts';
import { addressBefore, retry, textLike } from '../../language/settings/forms.ts';
import { nonEmptyText, scalar } from '../../language/yaml/scalars.ts';

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
  return OTHER_HEADERS.includes(value.toLowerCase())
    ? expect('a header that HTTP itself does not use, such as Authorization')
    : value;
});

export const CONTAINER = section(
  'The container',
  {
    live: true,
    before: [
      'Settings of a business-API container that you host yourself. `pacekeeper container` tests its login and shows its health. Alerts do not use it.',
    ],
  },
  {
    container: group({
      url: setting(addressBefore(/^v1$/), 'Address without `/v1`: `https://container.example.com`', {
        env: ['CONTAINER_URL'],
        secrecy: 'address',
      }),
      // Basic authorization ends a user name at the first colon.
      username: setting(textLike(/^[^:]+$/, 'a name without a colon'), 'User name of the login', {
        env: ['CONTAINER_USERNAME'],
        secrecy: 'text',
      }),
      password: setting(
        nonEmptyText,
        'Password of the login. For a first login, set it with `pacekeeper container login --new-password-from NAME`',
        { env: ['CONTAINER_PASSWORD'], secrecy: 'secret' },
      ),
      token_header: setting(
        headerName,
        'Header for the login token. `Authorization` gets `Bearer TOKEN`, any other header only the token',
        { default: 'Authorization' },
      ),
      retry: retry('Attempts in total, as for `ads`'),
    }),
  },
);
