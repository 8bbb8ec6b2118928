import { Parser } from 'htmlparser2'

export type Attributes = { readonly [name: string]: string }

/** Called for the parts of a document; names come without their namespace. */
export type Handler = {
  open?: (name: string, attributes: Attributes) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

/** Returns a parser that takes a document of XML in pieces. */
export function xmlParser({ open, text, close }: Handler): { write: (chunk: Buffer) => void; end: () => void } {
  const decoder = new TextDecoder('utf-8')
  const local = (name: string): string => name.slice(name.indexOf(':') + 1)
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open?.(local(name), attributes),
      ontext: (data) => text?.(data),
      onclosetag: (name) => close?.(local(name)),
    },
    { xmlMode: true, decodeEntities: true },
  )
  return {
    write: (chunk) => parser.write(decoder.decode(chunk, { stream: true })),
    end: () => parser.end(decoder.decode()),
  }
}

export async function parseXml(chunks: AsyncIterable<Buffer>, handler: Handler): Promise<void> {
  const parser = xmlParser(handler)
  for await (const chunk of chunks) parser.write(chunk)
  parser.end()
}
