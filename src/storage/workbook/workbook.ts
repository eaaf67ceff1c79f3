import { strToU8, Zip, ZipDeflate, ZipPassThrough } from 'fflate';

/** A number as text keeps all its digits. `format` is a number format of spreadsheets, such as `yyyy-mm-dd`. */
export interface NumberCell {
  readonly number: string;
  readonly format: string;
}

/** Text is never a formula. */
export type WorkbookCell = string | boolean | NumberCell | undefined;

export interface Workbook {
  /** Begins a sheet with a frozen first row. Its name is made legal and unique. */
  sheet(name: string, heads: readonly string[]): void;
  /** A sheet that is full goes on in the next one, with the same heads. */
  row(cells: readonly WorkbookCell[]): void;
  /** Returns the number of texts that were cut at the limit of a cell. */
  end(): { readonly cutTexts: number };
}

export const ROWS_MAX = 1_048_576;
const TEXT_MAX = 32_767;
const NAME_MAX = 31;
/** A ZIP entry of 4 GB would need other headers. */
const SHEET_CHARACTERS_MAX = 2 ** 30;
const CHUNK_CHARACTERS = 64 * 1024;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const KIND = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const PROPERTIES = `${XML}<Properties xmlns="${OFFICE}/extended-properties"><Application>pacekeeper</Application></Properties>`;

/** The beginning of a workbook that pacekeeper wrote and nobody saved since contains this. */
export const OWN_MARK = '<Application>pacekeeper</Application>';

/** Writes Office Open XML (ECMA-376) in chunks, so memory does not depend on the number of rows. */
export function createWorkbook(write: (chunk: Uint8Array) => void, rowsMax = ROWS_MAX): Workbook {
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    write(chunk);
  });
  const names: string[] = [];
  const formats = new Map<string, number>();
  let open: { readonly name: string; readonly heads: readonly string[]; readonly file: ZipDeflate } | undefined;
  let rows = 0;
  let text = '';
  let characters = 0;
  let cutTexts = 0;

  const add = <File extends ZipDeflate | ZipPassThrough>(file: File): File => {
    // Times of ZIP entries are local. The same content shall make the same file.
    file.mtime = '1980-01-02T00:00:00';
    zip.add(file);
    return file;
  };
  const addText = (path: string, content: string) => add(new ZipDeflate(path)).push(strToU8(content), true);
  const put = (part: string) => {
    text += part;
    characters += part.length;
    if (text.length < CHUNK_CHARACTERS) return;
    open?.file.push(strToU8(text));
    text = '';
  };
  const cellXml = (cell: WorkbookCell, place: string): string => {
    if (cell === undefined || cell === '') return '';
    if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${Number(cell)}</v></c>`;
    if (typeof cell === 'string') {
      if (cell.length > TEXT_MAX) cutTexts += 1;
      return `<c r="${place}" s="1" t="inlineStr"><is><t xml:space="preserve">${textXml(shortened(cell))}</t></is></c>`;
    }
    const style = formats.get(cell.format) ?? formats.size + FIRST_STYLE;
    formats.set(cell.format, style);
    return `<c r="${place}" s="${style}"><v>${cell.number}</v></c>`;
  };
  const addRow = (cells: readonly string[]) => put(`<row r="${rows}">${cells.join('')}</row>`);
  const begin = (name: string, heads: readonly string[]) => {
    names.push(legalName(name, names));
    open = { name, heads, file: add(new ZipDeflate(`xl/worksheets/sheet${names.length}.xml`, { level: 4 })) };
    rows = 1;
    characters = 0;
    const widths = heads.map(
      (head, index) =>
        `<col min="${index + 1}" max="${index + 1}" width="${Math.min(40, Math.max(12, head.length + 2))}" customWidth="1"/>`,
    );
    put(`${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">
<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>
${widths.length === 0 ? '' : `<cols>${widths.join('')}</cols>`}<sheetData>`);
    addRow(heads.map((head, index) => cellXml(head, `${letters(index)}1`).replace('s="1"', 's="2"')));
  };
  const close = () => {
    open?.file.push(strToU8(`${text}</sheetData></worksheet>`), true);
    text = '';
    open = undefined;
  };

  add(new ZipPassThrough('docProps/app.xml')).push(strToU8(PROPERTIES), true);
  return {
    sheet: (name, heads) => {
      close();
      begin(name, heads);
    },
    row: (cells) => {
      if (open !== undefined && (rows >= rowsMax || characters > SHEET_CHARACTERS_MAX)) {
        const { name, heads } = open;
        close();
        begin(name, heads);
      }
      rows += 1;
      addRow(cells.map((cell, index) => cellXml(cell, `${letters(index)}${rows}`)));
    },
    end: () => {
      close();
      addText('xl/styles.xml', stylesXml([...formats.keys()]));
      const sheets = names.map(
        (name, index) => `<sheet name="${textXml(name)}" sheetId="${index + 1}" r:id="r${index + 1}"/>`,
      );
      addText(
        'xl/workbook.xml',
        `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}/relationships"><bookViews><workbookView/></bookViews><sheets>${sheets.join('')}</sheets></workbook>`,
      );
      const parts = names.map((_, index) => relation(`r${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`));
      addText('xl/_rels/workbook.xml.rels', relations(...parts, relation('styles', 'styles', 'styles.xml')));
      addText(
        '_rels/.rels',
        relations(
          relation('workbook', 'officeDocument', 'xl/workbook.xml'),
          relation('properties', 'extended-properties', 'docProps/app.xml'),
        ),
      );
      addText('[Content_Types].xml', typesXml(names.length));
      zip.end();
      return { cutTexts };
    },
  };
}

const relation = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="${OFFICE}/relationships/${type}" Target="${target}"/>`;
const relations = (...all: readonly string[]): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;

function typesXml(sheets: number): string {
  const override = (path: string, type: string) => `<Override PartName="/${path}" ContentType="${type}+xml"/>`;
  const parts = [
    override('xl/workbook.xml', `${KIND}.sheet.main`),
    override('xl/styles.xml', `${KIND}.styles`),
    override('docProps/app.xml', 'application/vnd.openxmlformats-officedocument.extended-properties'),
    ...Array.from({ length: sheets }, (_, index) =>
      override(`xl/worksheets/sheet${index + 1}.xml`, `${KIND}.worksheet`),
    ),
  ];
  const relationships = 'application/vnd.openxmlformats-package.relationships';
  return `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="${relationships}+xml"/><Default Extension="xml" ContentType="application/xml"/>${parts.join('')}</Types>`;
}

/** Style 0 is the default, 1 text, 2 the bold text of heads. */
const FIRST_STYLE = 3;
/** Numbers below are formats that spreadsheets have themselves; 49 is text. */
const OWN_FORMAT = 164;
const TEXT_FORMAT = 49;

function stylesXml(formats: readonly string[]): string {
  const list = (name: string, items: readonly string[]) =>
    `<${name} count="${items.length}">${items.join('')}</${name}>`;
  const style = (format: number, font = 0) =>
    `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`;
  const codes = formats.map(
    (code, index) => `<numFmt numFmtId="${OWN_FORMAT + index}" formatCode="${textXml(code)}"/>`,
  );
  const font = '<sz val="11"/><name val="Calibri"/>';
  const styles = [
    style(0),
    style(TEXT_FORMAT),
    style(TEXT_FORMAT, 1),
    ...formats.map((_, index) => style(OWN_FORMAT + index)),
  ];
  return `${XML}<styleSheet xmlns="${MAIN}">${codes.length === 0 ? '' : list('numFmts', codes)}${[
    list('fonts', [`<font>${font}</font>`, `<font><b/>${font}</font>`]),
    list('fills', [
      '<fill><patternFill patternType="none"/></fill>',
      '<fill><patternFill patternType="gray125"/></fill>',
    ]),
    list('borders', ['<border/>']),
    list('cellStyleXfs', ['<xf/>']),
    list('cellXfs', styles),
  ].join('')}</styleSheet>`;
}

/** `A` for column 0, `AA` for column 26. */
function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : `${letters(Math.floor(column / 26) - 1)}${last}`;
}

/** Excel refuses a workbook with another name. Upper and lower case do not differ. */
function legalName(wanted: string, taken: readonly string[]): string {
  const legal = wanted.replace(/[\p{Cc}[\]:*?/\\]/gu, '_').replace(/^'|'$/g, '_') || 'Sheet';
  const used = new Set(['history', ...taken.map((name) => name.toLowerCase())]);
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : ` (${number})`;
    const name = `${legal.slice(0, NAME_MAX - suffix.length).toWellFormed()}${suffix}`;
    if (!used.has(name.toLowerCase())) return name;
  }
}

function shortened(text: string): string {
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Characters that XML cannot contain are written as `_x0007_`, and text that looks so is escaped, too. */
function textXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[^\P{Cc}\n\t]|[\ufffe\uffff]/gu,
      (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
