/** An element of the answer of a service. */
export type Element = { name: string; text: string; children: Element[] }

/** Parses a document leniently: elements that are not closed end with it. The root has the elements as its children. */
export async function parseXml(xml: string): Promise<Element> {
  const { Parser } = await import('htmlparser2')
  const root: Element = { name: '', text: '', children: [] }
  const open = [root]
  const parser = new Parser(
    {
      onopentag(name) {
        const element = { name, text: '', children: [] }
        open.at(-1)?.children.push(element)
        open.push(element)
      },
      ontext(text) {
        const last = open.at(-1)
        if (last) last.text += text
      },
      onclosetag() {
        if (open.length > 1) open.pop()
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xml)
  return root
}

/** The elements of a path of names, such as `all(root, 'ListBucketResult', 'Contents')`. */
export function all(element: Element, ...path: string[]): Element[] {
  return path.reduce(
    (among, name) => among.flatMap((each) => each.children.filter((child) => child.name === name)),
    [element],
  )
}

/** The text of the first element of a path; undefined if there is none. */
export const textOf = (element: Element, ...path: string[]): string | undefined => all(element, ...path)[0]?.text
