import { posix } from 'node:path'
import { Problem } from '../../../../lib/problem.ts'
import { isDateFormat } from './dates.ts'
import { parseXml } from './xml.ts'
import type { Archive } from './zip.ts'

export type Workbook = {
  /** The path of the first sheet that is not hidden, and the names of the others. */
  sheet: string
  others: string[]
  is1904: boolean
  /** Texts that cells refer to by their number. */
  texts: string[]
  /** Whether cells of a style show a day or a time. */
  isDate: (style: number) => boolean
}

/** Throws Problem 422 for an archive that is no workbook. */
export async function readWorkbook(file: string, archive: Archive): Promise<Workbook> {
  const none = () => new Problem(422, 'no_workbook', `${file} is no workbook of Excel. Save it as CSV or XLSX.`)
  const roots = archive.has('_rels/.rels') ? await relationsOf(archive, '_rels/.rels', '') : []
  const path = roots.find(({ type }) => type.endsWith('/officeDocument'))?.target ?? 'xl/workbook.xml'
  if (!archive.has(path)) throw none()
  const folder = posix.dirname(path)
  const relations = await relationsOf(archive, `${folder}/_rels/${posix.basename(path)}.rels`, folder)
  const sheets: { name: string; id: string; isHidden: boolean }[] = []
  let is1904 = false
  await parseXml(archive.read(path), {
    open(name, attributes) {
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1]
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes.date1904 ?? '')
      if (name !== 'sheet' || id === undefined) return
      sheets.push({ name: attributes.name ?? '', id, isHidden: /hidden/i.test(attributes.state ?? '') })
    },
  })
  const pathOf = (id: string) => relations.find((each) => each.id === id && each.type.endsWith('/worksheet'))?.target
  const shown = sheets.filter(({ id, isHidden }) => !isHidden && archive.has(pathOf(id) ?? ''))
  const [first, ...others] = shown
  if (!first) throw none()
  const partOf = (type: string) => relations.find((each) => each.type.endsWith(`/${type}`))?.target
  return {
    sheet: pathOf(first.id) as string,
    others: others.map(({ name }) => name),
    is1904,
    texts: await textsOf(archive, partOf('sharedStrings')),
    isDate: await datesOf(archive, partOf('styles')),
  }
}

type Relation = { id: string; type: string; target: string }

async function relationsOf(archive: Archive, path: string, folder: string): Promise<Relation[]> {
  const relations: Relation[] = []
  await parseXml(archive.read(path), {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (name !== 'Relationship') return
      relations.push({ id, type, target: posix.join('/', target.startsWith('/') ? '' : folder, target).slice(1) })
    },
  })
  return relations
}

async function textsOf(archive: Archive, path: string | undefined): Promise<string[]> {
  const texts: string[] = []
  if (path === undefined || !archive.has(path)) return texts
  const text = textReader((found) => texts.push(found))
  await parseXml(archive.read(path), {
    open: (name) => text.open(name, name === 'si'),
    text: text.add,
    close: (name) => text.close(name, name === 'si'),
  })
  return texts
}

/**
 * Gathers a text of several runs, without how its signs are read aloud. `isWhole` is of the element around it. Line ends
 * and the like are written as `_x000D_`.
 */
export function textReader(found: (text: string) => unknown) {
  let text = ''
  let isText = false
  let aloud = 0
  return {
    open(name: string, isWhole: boolean): void {
      if (isWhole) text = ''
      if (name === 'rPh') aloud++
      isText = name === 't' && aloud === 0
    },
    add(data: string): void {
      if (isText) text += data
    },
    close(name: string, isWhole: boolean): void {
      if (name === 'rPh') aloud--
      if (name === 't') isText = false
      if (isWhole) found(unescaped(text))
    },
  }
}

export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text
        .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        .replace(/\r\n?/g, '\n')
    : text.replace(/\r\n?/g, '\n')

async function datesOf(archive: Archive, path: string | undefined): Promise<(style: number) => boolean> {
  const codes = new Map<number, string>()
  const formats: number[] = []
  let isCells = false
  if (path !== undefined && archive.has(path))
    await parseXml(archive.read(path), {
      open(name, { numFmtId: id, formatCode: code }) {
        if (name === 'cellXfs') isCells = true
        if (name === 'numFmt' && code !== undefined) codes.set(Number(id), code)
        if (name === 'xf' && isCells) formats.push(Number(id ?? 0))
      },
      close(name) {
        if (name === 'cellXfs') isCells = false
      },
    })
  const dates = formats.map((id) => isDateFormat(id, codes.get(id)))
  return (style) => dates[style] === true
}
