import { group, section, setting } from '../../language/settings/declare.ts';
import { nonEmptyText } from '../../language/yaml/scalars.ts';

export const ENCRYPTION = section(
  'Encryption',
  { isOfAreas: false },
  {
    tls: group({
      ca_file: setting(
        nonEmptyText,
        'PEM file with the certificates of your own authorities. pacekeeper trusts them beside the public ones, for all services and PostgreSQL. It then ignores `NODE_EXTRA_CA_CERTS`',
        { env: ['PACEKEEPER_TLS_CA_FILE'], isPath: true, without: 'only public authorities' },
      ),
    }),
  },
);
