/** Environment names whose values are secret. In a file of its own: the program knows them before it reads settings. */
export const SECRET_NAMES = [
  'ADS_ACCESS_TOKEN',
  'ADS_CLIENT_SECRET',
  'ADS_REFRESH_TOKEN',
  'ADS_DEVELOPER_TOKEN',
  'MESSAGES_PASSWORD',
  'GRAPH_ACCESS_TOKEN',
  'GRAPH_APP_SECRET',
  'GRAPH_VERIFY_TOKEN',
  'CONTAINER_PASSWORD',
  'HEARTBEAT_URL',
];
