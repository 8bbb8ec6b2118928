import { crc32, deflateRawSync } from 'node:zlib'

// Writes workbooks as spreadsheet programs do, for tests of imports.

/** A day or a time, of a cell with that format. */
export type Dated = { serial: number; style: 'day' | 'time' | 'plain' }
export type CellValue = string | number | boolean | Dated | { error: string } | { formula: string } | null

type Options = {
  sheets?: Record<string, CellValue[][]>
  hidden?: string
  is1904?: boolean
  isInline?: boolean
  isStored?: boolean
}

/** The content of an archive with these files. */
export function archive(files: Record<string, string>, isStored = false): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text)
    const packed = isStored ? content : deflateRawSync(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(isStored ? 0 : 8, 4)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([word(0x04034b50), common, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    directory.push(Buffer.concat([word(0x02014b50), Buffer.from([20, 0]), common, rest, Buffer.from(name)]))
    parts.push(local)
    at += local.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, list, word(0x06054b50), end])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'

/** A workbook whose first sheet has these rows; an empty row is one that is not there. */
export function workbook(
  rows: CellValue[][],
  { sheets = {}, hidden, is1904 = false, isInline = false, isStored = false }: Options = {},
): Buffer {
  const all = Object.entries({ Sheet1: rows, ...sheets })
  const texts: string[] = []
  const files: Record<string, string> = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>${all
      .map(
        ([name], index) =>
          `<sheet name="${escaped(name)}" sheetId="${index + 1}"${name === hidden ? ' state="hidden"' : ''} r:id="rId${index}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}">${all
      .map(
        (_, index) =>
          `<Relationship Id="rId${index}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${index}.xml"/>`,
      )
      .join(
        '',
      )}<Relationship Id="t" Type="${OFFICE}/sharedStrings" Target="/xl/sharedStrings.xml"/><Relationship Id="s" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd&quot; d&quot; hh:mm:ss"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
  }
  const cellOf = (value: CellValue, place: string): string => {
    if (value === null || value === '') return ''
    if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`
    if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${Number(value)}</v></c>`
    if (typeof value === 'string' && isInline)
      return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`
    if (typeof value === 'string') return `<c r="${place}" t="s"><v>${texts.push(value) - 1}</v></c>`
    if ('error' in value) return `<c r="${place}" t="e"><v>${value.error}</v></c>`
    if ('formula' in value) return `<c r="${place}" t="str"><f>A1&amp;B1</f><v>${escaped(value.formula)}</v></c>`
    return `<c r="${place}" s="${['plain', 'day', 'time'].indexOf(value.style)}"><v>${value.serial}</v></c>`
  }
  all.forEach(([, content], index) => {
    const lines = content.flatMap((cells, at) =>
      cells.length === 0
        ? []
        : `<row r="${at + 1}">${cells.map((cell, column) => cellOf(cell, `${letters(column)}${at + 1}`)).join('')}</row>`,
    )
    files[`xl/worksheets/sheet${index}.xml`] =
      `<?xml version="1.0"?><worksheet xmlns="${MAIN}"><sheetData>${lines.join('')}</sheetData></worksheet>`
  })
  files['xl/sharedStrings.xml'] = `<sst xmlns="${MAIN}">${texts
    .map((text, index) =>
      index % 2 === 0
        ? `<si><t xml:space="preserve">${escaped(text)}</t></si>`
        : `<si><r><t xml:space="preserve">${escaped(text.slice(0, 1))}</t></r><rPh sb="0" eb="1"><t>よみ</t></rPh><r><t xml:space="preserve">${escaped(text.slice(1))}</t></r></si>`,
    )
    .join('')}</sst>`
  return archive(files, isStored)
}

const letters = (column: number): string =>
  (column >= 26 ? letters(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26))
