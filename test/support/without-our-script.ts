/** The page without our scripts: every page of a visitor has one, and Explore another. */
export function withoutOurScript(html: string): string {
  return html.replaceAll(/<script src="(?:\.\/|(?:\.\.\/)+)(?:page|explore)\.js\?[0-9a-f]{12}" defer><\/script>/g, '');
}
