import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { random } from '../../src/demo/story/random.ts'
import { wordsOf } from '../../src/lib/words.ts'
import { idsOfSearch, searches } from '../../src/store/list/search.ts'
import { openStore } from '../../src/store/open.ts'
import { searchIndex } from '../../src/store/search/search.ts'
import { pendingWords } from '../../src/store/search/search-index.ts'

/** What a script costs the search index, of companies; times are of the processor, so that a busy machine counts little. */
export type Searched = {
  script: string
  words: number
  /** For each record, in microseconds, with what is moved into the index later. */
  write_us: number
  /** Of all: the documents, the words, and the index. */
  mb: number
  /** Medians of a page of 50, in milliseconds. */
  part_ms: number
  whole_ms: number
}

const ORG = 1
const BATCH = 64

type Names = { name: () => string; part: () => string }

function namesOf(script: 'Latin' | 'Latin with umlauts' | 'Chinese'): Names {
  const { int } = random(5)
  const one = <T>(from: readonly T[]): T => from[int(from.length)] as T
  if (script !== 'Chinese') {
    const own = script === 'Latin' ? ['mar', 'son', 'del', 'hof', 'rick'] : ['mär', 'sön', 'del', 'hof', 'rück']
    const syllables = [...own, 'lin', 'kov', 'ber', 'gar', 'tan', 'zel', 'ra', 'ni', 'ko', 'ste', 'wei', 'per', 'lo']
    const word = (): string => Array.from({ length: 2 + int(2) }, () => one(syllables)).join('')
    return { name: () => `${word()} ${word()} GmbH`, part: word }
  }
  const sign = (): string => String.fromCodePoint(0x4e00 + int(6000))
  const own = Array.from({ length: 4000 }, () => sign() + sign())
  const trades = '科技 贸易 国际 金属 机械 软件 网络 信息 建设 投资 管理 咨询 物流 食品 医药 能源'.split(' ')
  const towns = '北京 上海 深圳 广州 杭州 成都 武汉 南京 苏州 天津'.split(' ')
  return { name: () => `${one(towns)}${one(own)}${one(trades)}有限公司`, part: () => one(own) }
}

/** Writes so many companies of a script, and searches in them. */
export function searched(script: Parameters<typeof namesOf>[0], count: number): Searched {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-bench-'))
  const store = openStore(folder, { create: true })
  try {
    const { db } = store
    db.pragma('foreign_keys = OFF') // there is no organisation
    const { name, part } = namesOf(script)
    const names = Array.from({ length: count }, name)
    const ids = names.map(() => store.clock.id())
    const index = searchIndex(db, 'company')
    const pending = pendingWords(db)
    const written = cpu(() => {
      for (let at = 0; at < count; at += BATCH)
        store.transaction(() => {
          for (let each = at; each < Math.min(count, at + BATCH); each++)
            index.put(ORG, ids[each] as string, wordsOf([names[each] as string]))
          pending.index(BATCH)
        })
    })
    db.exec("INSERT INTO search (search) VALUES ('optimize')")
    const read = searches(db)
    const search = (text: string) => {
      const { sql, values } = idsOfSearch(read(ORG, { search: 'company', text }))
      db.prepare(`${sql} LIMIT 50`).all(...values)
    }
    const median = (text: () => string): number =>
      Array.from({ length: 301 }, () => cpu(() => search(text()))).sort((one, other) => one - other)[150] as number
    const bytes = db.prepare("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'search%'").pluck().get() as number
    return {
      script,
      words: names.reduce((sum, each) => sum + wordsOf([each]).length, 0) / count,
      write_us: written / count,
      mb: bytes / 1e6,
      part_ms: median(part) / 1000,
      whole_ms: median(() => names[Math.trunc(Math.random() * count)] as string) / 1000,
    }
  } finally {
    store.close()
    rmSync(folder, { recursive: true })
  }
}

/** Microseconds of the processor. */
function cpu(job: () => void): number {
  const before = process.cpuUsage()
  job()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

export function searchedText(count: number): string {
  const rows = (['Latin', 'Latin with umlauts', 'Chinese'] as const).map((script) => {
    const { words, write_us, mb, part_ms, whole_ms } = searched(script, count)
    return [script, words.toFixed(1), write_us.toFixed(0), mb.toFixed(1), part_ms.toFixed(2), whole_ms.toFixed(2)].join(
      ' | ',
    )
  })
  return `script | words | write, µs | MB | a part, ms | a whole name, ms\n--- | ---: | ---: | ---: | ---: | ---:\n${rows.join('\n')}\n`
}
