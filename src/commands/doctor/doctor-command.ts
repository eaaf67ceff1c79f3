import { command } from '../cli/command.ts';
import { LISTING_FORMAT } from '../cli/common-options.ts';
import { flag, type Taken } from '../cli/takes.ts';

const TAKES = { offline: flag('contact no service'), format: LISTING_FORMAT };
export type DoctorOptions = Taken<typeof TAKES>;

export const doctorCommand = command({
  name: 'doctor',
  summary: 'Check settings, data, services and schedule, and say how to fix each problem. Changes nothing.',
  takes: TAKES,
  examples: ['pacekeeper doctor', 'pacekeeper doctor --offline --format json'],
  settings: 'own',
  load: async () => (await import('./run-doctor.ts')).runDoctor,
});
