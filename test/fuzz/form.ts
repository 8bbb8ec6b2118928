import type { Draw } from './draw.ts'

// Forms with files (RFC 7578).

type Part = { name: string; filename?: string; type?: string; bytes: Buffer }
export type DrawnForm = { type: string; bytes: Buffer }

const BOUNDARIES = ['x', '----WebKitFormBoundaryAbCdEf0123456789', "a'()+_,-./:=?", '0'.repeat(70)]
const FILE_NAMES = [
  'a.pdf',
  'Angebot für Ana.pdf',
  '../../etc/passwd',
  'CON.txt',
  '\u202egpj.exe',
  '.',
  'a'.repeat(300),
]
const FILE_TYPES = [undefined, 'application/pdf', 'text/html; charset=utf-8', 'image/svg+xml', 'nonsense']

/** Up to three files, some empty, some equal. */
export function filesFor(draw: Draw, name: string): Part[] {
  return Array.from({ length: draw.below(4) }, () => {
    const type = draw.one(FILE_TYPES)
    const bytes = Buffer.alloc(draw.one([0, 1, 1, 4096, 70_000]), draw.one(['a', '\r\n--', '<script>']))
    return { name: draw.one([name, 'file', 'x']), filename: draw.one(FILE_NAMES), ...(type ? { type } : {}), bytes }
  })
}

/** The parts as a body. */
export function formOf(draw: Draw, parts: readonly Part[]): DrawnForm {
  const boundary = draw.one(BOUNDARIES)
  const quoted = (text: string): string => text.replace(/"/g, '%22')
  const written = parts.flatMap(({ name, filename, type, bytes }) => {
    const file = filename === undefined ? '' : `; filename="${quoted(filename)}"`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n`
    return [Buffer.from(`${head}${type ? `Content-Type: ${type}\r\n` : ''}\r\n`), bytes, Buffer.from('\r\n')]
  })
  const type = `multipart/form-data; boundary=${/^\w+$/.test(boundary) ? boundary : `"${boundary}"`}`
  return { type, bytes: Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]) }
}
