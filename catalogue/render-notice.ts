import type { EncodedCatalogue } from '../src/language/gaql/catalogue/decode-catalogue.ts';

/** Says where the catalogue comes from and under which licences; `licence` is the text of the package with the unions. */
export function renderNotice({ name, sources: [unions, protos] }: EncodedCatalogue, licence: string): string {
  return `# Notice

Written by \`npm run catalogue\`; do not edit.

\`${name}.json.gz\` lists the resources, fields and enums of the Google Ads API's query language, version ${name};
\`${name}.descriptions.json.gz\` describes them. Both were generated from two packages of the npm registry:

| from | what | licence |
|---|---|---|
| ${unions}, <https://github.com/Opteo/google-ads-api> | what each resource offers, which segments are references | MIT, below |
| ${protos}, <https://github.com/Opteo/google-ads-node> | the package that carries the Protocol Buffers definitions | MIT, by the same authors |
| Protocol Buffers definitions of the Google Ads API | types, enum values, forms of resource names, descriptions | Apache 2.0, below |

This project is not affiliated with Google or Opteo. The generator in this folder is under the project's own licence.

## Protocol Buffers definitions

Copyright Google LLC. Licensed under the Apache License, Version 2.0, a copy of which is in \`LICENSE-APACHE-2.0.txt\` and at
<https://www.apache.org/licenses/LICENSE-2.0>. Distributed on an "AS IS" basis, without warranties or conditions of any kind, either
express or implied.

Changes were made: fields, types and enum values were extracted, and comments shortened to their first sentences.

## google-ads-api

${licence.trim()}
`;
}
