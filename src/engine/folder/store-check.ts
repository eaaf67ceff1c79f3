/** `missing` means that something optional is absent, so runs still work. */
export type CheckState = 'ok' | 'warning' | 'missing' | 'failed';

/** A row of `doctor`. By default, about the store. */
export interface StoreCheck<Part extends string = 'data_folder' | 'database'> {
  readonly part: Part;
  readonly name: string;
  readonly state: CheckState;
  readonly found: string;
  readonly expected: string;
  readonly nextStep: string | undefined;
}

type Found = Pick<StoreCheck, 'found' | 'expected'>;
type Advised = Found & { readonly nextStep: string };

export function checksOf<Part extends string>(part: Part) {
  const make = (name: string, state: CheckState, found: Found | Advised): StoreCheck<Part> => ({
    part,
    name,
    state,
    nextStep: undefined,
    ...found,
  });
  return {
    ok: (name: string, found: Found) => make(name, 'ok', found),
    warning: (name: string, found: Advised) => make(name, 'warning', found),
    missing: (name: string, found: Advised) => make(name, 'missing', found),
    failed: (name: string, found: Advised) => make(name, 'failed', found),
  };
}
