import type { SettingSection } from './setting.ts';

export const CONTAINER: SettingSection = {
  title: 'The container',
  areas: ['container'],
  before: ['The locally hosted interface; absent as a whole it is allowed. Alerts do not need it.'],
  live: true,
  settings: [
    {
      path: 'container.url',
      env: ['CONTAINER_URL'],
      default: 'none',
      value: 'address',
      meaning: 'Address without `/v1`; https, or http on this machine',
    },
    {
      path: 'container.username',
      env: ['CONTAINER_USERNAME'],
      default: 'none',
      value: 'text',
      meaning: 'Basic authorization of the login',
    },
    {
      path: 'container.password',
      env: ['CONTAINER_PASSWORD'],
      default: 'none',
      value: 'secret',
      meaning: '`pacekeeper container login --new-password-from NAME` sets the one that a first login must set',
    },
    {
      path: 'container.token_header',
      default: '`Authorization`',
      value: 'shown',
      meaning: 'The header that carries the token of a login: as a bearer in `Authorization`, bare in any other',
    },
    {
      path: 'container.retry.attempts',
      default: '4',
      value: 'shown',
      bothTargets: true,
      meaning: 'As for `ads.retry`',
    },
    {
      path: 'container.retry.first_delay_ms',
      default: '5000',
      value: 'shown',
      bothTargets: true,
      meaning: '',
    },
    {
      path: 'container.retry.total_ms',
      default: '120000',
      value: 'shown',
      bothTargets: true,
      meaning: '',
    },
  ],
};
