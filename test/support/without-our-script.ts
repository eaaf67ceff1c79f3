/** The page without its only script, which every page of a visitor has once. */
export function withoutOurScript(html: string): string {
  return html.replace(/<script src="(?:\.\/|(?:\.\.\/)+)page\.js\?[0-9a-f]{12}" defer><\/script>/, '');
}
