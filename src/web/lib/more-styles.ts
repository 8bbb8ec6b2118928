import { base } from './base.ts'

let loading: Promise<void> | undefined

/** The styles of the screens that do not come with the page. Rejects if they did not arrive; the next call tries again. */
export const moreStyles = (): Promise<void> =>
  (loading ??= new Promise((done, failed) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = base + MORE_STYLES_URL
    link.onload = () => done()
    link.onerror = () => {
      loading = undefined
      link.remove()
      failed(new Error('The styles did not arrive.'))
    }
    document.head.append(link)
  }))
