/** Colours as `#rrggbb`. */
export interface Theme {
  /** The ground of a page, of a card, and of a part that lies deeper than its card. */
  readonly bg: string;
  readonly surface: string;
  readonly sunken: string;
  readonly line: string;
  /** The border of an input: at least 3:1 on every ground. */
  readonly 'line-2': string;
  /** Texts have at least 4.5:1 on every ground. */
  readonly text: string;
  readonly 'text-2': string;
  readonly 'text-3': string;
  /** The one accent: links, the current page, the filled button, the first line of a chart. */
  readonly accent: string;
  readonly 'accent-solid': string;
  readonly 'on-accent': string;
  readonly 'accent-bg': string;
  readonly 'accent-soft': string;
  /** Only for states. Never show a meaning only by colour. */
  readonly red: string;
  readonly 'red-bg': string;
  readonly amber: string;
  readonly 'amber-bg': string;
  readonly green: string;
  readonly 'green-bg': string;
  readonly 'chart-1': string;
  readonly 'chart-2': string;
  readonly 'chart-3': string;
  readonly 'chart-4': string;
  readonly bar: string;
  readonly grid: string;
}

/** The visitor's system chooses the theme. Printed pages have the light theme. */
export const THEMES: Readonly<Record<'light' | 'dark', Theme>> = {
  light: {
    bg: '#f7f8fa',
    surface: '#ffffff',
    sunken: '#f0f2f5',
    line: '#e2e5ea',
    'line-2': '#848c99',
    text: '#15181e',
    'text-2': '#454c59',
    'text-3': '#5c6472',
    accent: '#2b4bbd',
    'accent-solid': '#2b4bbd',
    'on-accent': '#ffffff',
    'accent-bg': '#ebeffc',
    'accent-soft': '#b7c3f1',
    red: '#ab2219',
    'red-bg': '#fdeae8',
    amber: '#7a4a00',
    'amber-bg': '#fdf1da',
    green: '#186336',
    'green-bg': '#e4f3ea',
    'chart-1': '#2b4bbd',
    'chart-2': '#b45309',
    'chart-3': '#5c6472',
    'chart-4': '#7a3fb0',
    bar: '#9fb0ea',
    grid: '#e6e9ed',
  },
  dark: {
    bg: '#0e1014',
    surface: '#15181d',
    sunken: '#1d2128',
    line: '#2a2f38',
    'line-2': '#747d8c',
    text: '#e9ebef',
    'text-2': '#b9c0cb',
    'text-3': '#9ca5b2',
    accent: '#9db0ff',
    'accent-solid': '#4a63d3',
    'on-accent': '#ffffff',
    'accent-bg': '#1d2443',
    'accent-soft': '#3c4b8c',
    red: '#ff9a90',
    'red-bg': '#3a1b1a',
    amber: '#f2bd66',
    'amber-bg': '#33270f',
    green: '#7fd69b',
    'green-bg': '#14301f',
    'chart-1': '#9db0ff',
    'chart-2': '#f0a35a',
    'chart-3': '#9ca5b2',
    'chart-4': '#c79bf2',
    bar: '#4c5ca3',
    grid: '#262b33',
  },
};

/** The values that no theme changes: fonts, sizes of type in pixels, spaces, radii. */
export const SCALES = {
  font: 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK JP",sans-serif',
  mono: 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace',
  't-xs': '12px',
  't-s': '13px',
  't-m': '14px',
  't-l': '16px',
  't-xl': '20px',
  't-xxl': '26px',
  s1: '4px',
  s2: '8px',
  s3: '12px',
  s4: '16px',
  s5: '24px',
  s6: '32px',
  r1: '4px',
  r2: '6px',
  r3: '10px',
};

function variables(values: Theme | typeof SCALES): string {
  return Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}

export function tokenRules(): string {
  return `:root{color-scheme:light;${variables(SCALES)};${variables(THEMES.light)}}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${variables(THEMES.dark)}}}`;
}
