import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Diagnostic } from '../../domain/diagnostic.ts';
import { inertJson } from '../../domain/outside-text.ts';
import type { FileFindings } from '../../engine/load-inputs.ts';
import { explanationOf } from './explain-code.ts';

/** SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/. Codes of the service have no help. */
export function renderSarif(findings: readonly FileFindings[]): string {
  const all = findings.flatMap(({ file, diagnostics }) => diagnostics.map((diagnostic) => ({ file, diagnostic })));
  const codes = [...new Set(all.map(({ diagnostic }) => diagnostic.code))].sort();
  const driver = { name: 'pacekeeper', rules: codes.map(ruleOf) };
  const results = all.map(({ file, diagnostic }) => resultOf(file, diagnostic, codes.indexOf(diagnostic.code)));
  const run = { tool: { driver }, columnKind: 'utf16CodeUnits', results };
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] };
  return `${inertJson(JSON.stringify(log, undefined, 2))}\n`;
}

function ruleOf(code: string) {
  const explanation = explanationOf(code);
  if (explanation === undefined) return { id: code };
  const { meaning, wrong, right } = explanation;
  const help = `${meaning}\n\nwrong:\n${wrong}\n\nright:\n${right}`;
  return { id: code, shortDescription: { text: meaning }, help: { text: help } };
}

function resultOf(
  file: string,
  { code, severity, message, hint, span: { start, end } }: Diagnostic,
  ruleIndex: number,
) {
  const region = { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
  const physicalLocation = { artifactLocation: { uri: uriOf(file) }, region };
  const text = messageText(hint === undefined ? message : `${message}\n${hint}`);
  return { ruleId: code, ruleIndex, level: severity, message: { text }, locations: [{ physicalLocation }] };
}

/** Relative to the working folder, if the file is in it. */
function uriOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : file.split(sep).map(encodeURIComponent).join('/');
}

/** Braces and brackets would be placeholders and links (3.11.5, 3.11.6). */
function messageText(text: string): string {
  return text.replace(/[{}]/g, '$&$&').replace(/[\\[\]]/g, '\\$&');
}
