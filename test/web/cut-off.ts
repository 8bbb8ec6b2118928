import type { Page } from 'playwright-core'

/** What reaches over the edges of the page, but for parts that are scrolled sideways. */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      element !== document.documentElement &&
      ((element.scrollWidth > element.clientWidth && /auto|scroll/.test(getComputedStyle(element).overflowX)) ||
        scrolls(element.parentElement))
    const wrong = [...document.querySelectorAll('button, a, input, h1, h2, p')].filter((element) => {
      const { left, right, width, height } = element.getBoundingClientRect()
      return width > 1 && height > 1 && (left < -1 || right > innerWidth + 1) && !scrolls(element.parentElement)
    })
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element.parentElement),
    )
    // What is scrolled downwards must not scroll sideways as well, but for the board and the table.
    const both = [...document.querySelectorAll('main [data-scroll], dialog[open] *')].filter(
      (element) =>
        element.scrollWidth > element.clientWidth + 1 &&
        /auto|scroll/.test(getComputedStyle(element).overflowX) &&
        /auto|scroll/.test(getComputedStyle(element).overflowY) &&
        !element.matches('.board, .tbl'),
    )
    const inBoth = both.flatMap((element) => {
      const { right } = element.getBoundingClientRect()
      return [...element.querySelectorAll('*')]
        .filter((each) => each.getBoundingClientRect().right > right + 1)
        .slice(-3)
    })
    const isSideways = document.documentElement.scrollWidth > innerWidth
    return [...both, ...inBoth, ...(isSideways ? wide.slice(-3) : []), ...wrong].map(
      (element) => `${element.localName}.${element.className} ${element.textContent?.slice(0, 60)}`,
    )
  })
