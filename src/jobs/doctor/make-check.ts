import type { Check } from '../../views/doctor.ts';

type Found = Pick<Check, 'found' | 'expected'>;
type Advised = Found & { readonly nextStep: string };

/** Makes the checks of one part: what is not well has its next step, always. */
export function checksOf(part: Check['part']) {
  const make = (name: string, state: Check['state'], found: Found | Advised): Check => ({
    ...{ part, name, state, nextStep: undefined },
    ...found,
  });
  return {
    ok: (name: string, found: Found) => make(name, 'ok', found),
    warning: (name: string, found: Advised) => make(name, 'warning', found),
    missing: (name: string, found: Advised) => make(name, 'missing', found),
    failed: (name: string, found: Advised) => make(name, 'failed', found),
  };
}
