const WIDTH = 30

/** Shows a progress bar on a terminal, and nothing elsewhere. */
export function progress(quiet: boolean, what: string) {
  const { stderr } = process
  const isShown = !quiet && stderr.isTTY
  let wasShown = false
  return {
    show: (done: number, of = 0): void => {
      if (!isShown) return
      wasShown = true
      const filled = of === 0 ? 0 : Math.round((done / of) * WIDTH)
      const bar = of === 0 ? '' : `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] `
      stderr.write(`\r${bar}${done}${of === 0 ? '' : ` of ${of}`} ${what} `)
    },
    end: (): void => {
      if (wasShown) stderr.write('\n')
      wasShown = false
    },
  }
}
