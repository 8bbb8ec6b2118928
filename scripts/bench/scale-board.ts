import { resourceDeps } from '../../src/app/deps.ts'
import { dealBoard } from '../../src/crm/deals/board.ts'
import { closedDeals } from '../../src/crm/deals/closed.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { bootData } from '../../src/site/app/boot.ts'
import { openStore } from '../../src/store/open.ts'
import { type Timed, timed } from './scale-process.ts'

export type Boards = { board: Timed; closed: Timed; boot: Timed; boardMb: number }

/** What the screens of one organisation ask when they are opened, and their largest answer. */
export async function boards(folder: string): Promise<Boards> {
  const store = openStore(folder)
  try {
    const { db } = store
    const pipeline = db.prepare('SELECT id FROM pipelines WHERE org_id = 1 AND is_default = 1').pluck().get() as string
    const member = db.prepare("SELECT id FROM members WHERE org_id = 1 AND role = 'owner'").pluck().get() as string
    const now = Date.now()
    const boot = bootData({
      store,
      deps: resourceDeps(store),
      web: { build: 'bench' } as never,
      apiUrl: 'http://127.0.0.1',
    })
    const board = await timed(() => dealBoard(db)(1, pipeline, now).members.length)
    return {
      board,
      boardMb: board.value / 1e6,
      closed: await timed(() => closedDeals(db)(1, pipeline, now - 30 * DAY_MS)),
      boot: await timed(() => boot({ org: 1, member, role: 'owner', scopes: new Set() } as never).json.length),
    }
  } finally {
    store.close()
  }
}
