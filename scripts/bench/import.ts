import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROWS = 100_000
const CITIES = ['Porto', 'Lyon', 'Gdańsk', 'Malmö', 'Graz', 'Ghent']

/** The seconds that `dealbox import contacts` takes for 100,000 rows, into an empty organisation. */
export function importSeconds(dealbox: (...argv: string[]) => unknown): number {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-bench-'))
  try {
    const file = join(folder, 'contacts.csv')
    const rows = Array.from({ length: ROWS }, (_, n) =>
      [
        `Ana${n % 997}`,
        `Lindqvist${n % 1009}`,
        `ana${n}@firm${n % 5000}.example`,
        `+46 8 ${1_000_000 + n}`,
        CITIES[n % 6],
      ].join(','),
    )
    writeFileSync(file, `First name,Last name,Email,Phone,City\n${rows.join('\n')}\n`)
    dealbox('init', '--data', join(folder, 'data'), '--org', 'Bench', '--email', 'bench@example.com')
    const started = performance.now()
    const made = dealbox('import', 'contacts', file, '--data', join(folder, 'data')) as { created: number }
    if (made.created !== ROWS) throw new Error(`the import made ${made.created} of ${ROWS} contacts`)
    return (performance.now() - started) / 1000
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
