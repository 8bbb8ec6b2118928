import { MOST, runsIn } from '../../../lib/found.ts'

/** Marks words in a document that no component draws, such as a mail in its frame. Texts are split, and never made of HTML. */
export function markIn(page: Document, words: readonly string[]): void {
  for (const mark of page.querySelectorAll('mark.found')) mark.replaceWith(...mark.childNodes)
  page.body.normalize()
  if (words.length === 0) return
  const texts: Text[] = []
  const walk = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT)
  for (let node = walk.nextNode(); node; node = walk.nextNode()) texts.push(node as Text)
  let left = MOST
  for (const text of texts) {
    const runs = runsIn(text.data, words, true).slice(0, left)
    left -= runs.length
    // From the end, so that what is before stays where it is.
    for (const { start, end } of runs.reverse()) {
      const mark = page.createElement('mark')
      mark.className = 'found'
      const hit = text.splitText(start)
      hit.splitText(end - start)
      hit.replaceWith(mark)
      mark.append(hit)
    }
    if (left === 0) return
  }
}
