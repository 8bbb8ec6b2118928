import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StageSettings } from '../../../src/crm/stages/settings.ts'
import { problem, type Row, settingsFixture, thrownErrors } from '../../app/settings/settings-fixture.ts'

const stages = (...open: string[]): StageSettings[] => [
  ...open.map((key) => ({ key, name: key })),
  { key: 'won', name: 'Won', outcome: 'won' },
  { key: 'lost', name: 'Lost', outcome: 'lost' },
]
const partners = { key: 'partners', name: 'Partners', is_default: false, stages: stages('first', 'second') }

/** The stages in the order of their rank, as `pipeline/stage`. */
function ranked({ rows }: ReturnType<typeof settingsFixture>): string[] {
  const keys = new Map(rows('pipelines').map(({ id, key }) => [id, key]))
  const byRank = rows('stages').toSorted((left, right) => (left.rank as number) - (right.rank as number))
  assert.deepEqual(
    byRank.map(({ rank }) => rank),
    [...byRank.keys()],
  )
  return byRank.map(({ pipeline_id, key }) => `${keys.get(pipeline_id as string)}/${key}`)
}

const SALES = ['qualified', 'demo', 'proposal', 'negotiation', 'won', 'lost'].map((key) => `sales/${key}`)
const PARTNERS = ['first', 'second', 'won', 'lost'].map((key) => `partners/${key}`)
const said = (changed: { key: string; action: string }[]) => changed.map(({ key, action }) => `${action} ${key}`)

test('a pipeline is made with its stages in the order of the document', (t) => {
  const shop = settingsFixture(t)
  const changed = shop.edit(({ pipelines }) => pipelines.push(partners))
  assert.deepEqual(said(changed), ['created partners', ...PARTNERS.map((key) => `created ${key}`)])
  assert.deepEqual(changed[0]?.fields, {
    name: { from: null, to: 'Partners' },
    is_default: { from: null, to: false },
    position: { from: null, to: 1 },
  })
  assert.deepEqual(changed[3]?.fields, {
    name: { from: null, to: 'Won' },
    position: { from: null, to: 2 },
    outcome: { from: null, to: 'won' },
    probability: { from: null, to: 100 },
  })
  const { id } = shop.row('pipelines', 'partners')
  assert.deepEqual(
    shop
      .rows('stages')
      .filter(({ pipeline_id }) => pipeline_id === id)
      .map(({ key, position, is_open, outcome, probability }) => [key, position, is_open, outcome, probability]),
    [
      ['first', 0, 1, null, 33],
      ['second', 1, 1, null, 67],
      ['won', 2, 0, 'won', 100],
      ['lost', 3, 0, 'lost', 0],
    ],
  )
  assert.deepEqual(ranked(shop), [...SALES, ...PARTNERS])
})

test('ranks go through the default pipeline first, then by position', (t) => {
  const shop = settingsFixture(t)
  shop.edit(({ pipelines }) => pipelines.unshift(partners))
  assert.deepEqual(ranked(shop), [...SALES, ...PARTNERS])
  const changed = shop.edit(({ pipelines }) => {
    pipelines[0]!.is_default = true
    pipelines[1]!.is_default = false
  })
  assert.deepEqual(said(changed), ['updated partners', 'updated sales'])
  assert.deepEqual(changed[0]?.fields, { is_default: { from: false, to: true } })
  assert.deepEqual(ranked(shop), [...PARTNERS, ...SALES])
  shop.edit(({ pipelines }) => {
    pipelines[0]!.is_default = false
    pipelines.reverse()
  })
  assert.deepEqual(ranked(shop), [...SALES, ...PARTNERS])
  const swapped = shop.edit(({ pipelines }) => pipelines[0]!.stages.unshift(pipelines[0]!.stages.splice(1, 1)[0]!))
  assert.deepEqual(
    swapped.map(({ key, fields }) => [key, fields]),
    [
      ['sales/demo', { position: { from: 1, to: 0 } }],
      ['sales/qualified', { position: { from: 0, to: 1 } }],
    ],
  )
  assert.deepEqual(ranked(shop), ['sales/demo', 'sales/qualified', ...SALES.slice(2), ...PARTNERS])
})

test('the default flag moves either way within one document, and may be gone', (t) => {
  const { edit, rows, apply } = settingsFixture(t)
  const defaults = () => rows('pipelines').flatMap(({ key, is_default }) => (is_default ? [key] : []))
  const flags = (...given: boolean[]) =>
    edit(({ pipelines }) => {
      for (const [index, pipeline] of pipelines.entries()) pipeline.is_default = given[index]!
    })
  edit(({ pipelines }) => pipelines.push(partners))
  flags(false, true)
  assert.deepEqual(defaults(), ['partners'])
  flags(true, false)
  assert.deepEqual(defaults(), ['sales'])
  flags(false, false)
  assert.deepEqual(defaults(), [])
  flags(false, true)
  edit(({ pipelines }) => {
    pipelines.pop()
    pipelines.push({ ...partners, key: 'resellers', is_default: true })
  })
  assert.deepEqual(defaults(), ['resellers'])
  apply({ pipelines: [] })
  assert.deepEqual(rows('pipelines'), [])
  assert.deepEqual(rows('stages'), [])
})

test('a pipeline needs an open stage and exactly one won and one lost stage, and there is one default at most', (t) => {
  const { apply } = settingsFixture(t)
  const [open, won, lost] = stages('open') as [StageSettings, StageSettings, StageSettings]
  const pipelines = [
    [],
    [open, won],
    [open, lost],
    [won, lost],
    [open, won, lost, { ...won, key: 'again' }, { ...lost, key: 'once_more' }],
  ].map((stages, index) => ({ key: `p${index}`, name: 'P', is_default: index < 2, stages }))
  assert.deepEqual(
    thrownErrors(() => apply({ pipelines })),
    [
      '/pipelines/0/stages no_open_stage',
      '/pipelines/0/stages no_won_stage',
      '/pipelines/0/stages no_lost_stage',
      '/pipelines/1/is_default second_default',
      '/pipelines/1/stages no_lost_stage',
      '/pipelines/2/stages no_won_stage',
      '/pipelines/3/stages no_open_stage',
      '/pipelines/4/stages/3/outcome second_won_stage',
      '/pipelines/4/stages/4/outcome second_lost_stage',
    ],
  )
})

test('only rows that change get a new version, and all stages of a pipeline whose name or flag they show', (t) => {
  const { edit, rows, advance } = settingsFixture(t)
  edit(({ pipelines }) => pipelines.push(partners))
  const versions = (table: string) => rows(table).map(({ version }) => version)
  const before = rows('stages')
  advance(1000)
  edit(({ pipelines }) => {
    pipelines[0]!.stages[1]!.name = 'Presentation'
  })
  assert.deepEqual(versions('pipelines'), [1, 1])
  const expected = before.map((stage): Row => {
    if (stage.key !== 'demo') return stage
    return { ...stage, name: 'Presentation', version: 2, updated_at: (stage.updated_at as number) + 1000 }
  })
  assert.deepEqual(rows('stages'), expected)
  const changed = edit(({ pipelines }) => {
    pipelines[1]!.name = 'Partner sales'
    pipelines[1]!.stages[0]!.name = 'New'
  })
  assert.deepEqual(said(changed), ['updated partners', 'updated partners/first'])
  assert.deepEqual(versions('pipelines'), [1, 2])
  const { id } = rows('pipelines')[1] as Row
  const stageVersions = () =>
    rows('stages').flatMap(({ pipeline_id, version }) => (pipeline_id === id ? [version] : []))
  assert.deepEqual(stageVersions(), [2, 2, 2, 2])
  edit(({ pipelines }) => {
    pipelines[0]!.is_default = false
    pipelines[1]!.is_default = true
  })
  assert.deepEqual(stageVersions(), [3, 3, 3, 3])
  edit(({ pipelines }) => pipelines.reverse())
  assert.deepEqual(stageVersions(), [3, 3, 3, 3])
})

test('probabilities are kept as given', (t) => {
  const { edit, show } = settingsFixture(t)
  const changed = edit(({ pipelines }) => {
    pipelines[0]!.stages[0]!.probability = 5
  })
  assert.deepEqual(changed[0]?.fields, { probability: { from: 20, to: 5 } })
  assert.equal(show().pipelines[0]?.stages[0]?.probability, 5)
})

test('a stage and a pipeline that nothing uses are removed', (t) => {
  const shop = settingsFixture(t)
  shop.edit(({ pipelines }) => pipelines.push(partners))
  const changed = shop.edit(({ pipelines }) => {
    pipelines[0]!.stages.splice(2, 1)
    pipelines.pop()
  })
  assert.deepEqual(said(changed), [
    ...PARTNERS.map((key) => `removed ${key}`),
    'removed partners',
    'removed sales/proposal',
    'updated sales/negotiation',
    'updated sales/won',
    'updated sales/lost',
  ])
  assert.deepEqual(changed[0]?.fields.name, { from: 'first', to: null })
  assert.deepEqual(
    ranked(shop),
    ['qualified', 'demo', 'negotiation', 'won', 'lost'].map((key) => `sales/${key}`),
  )
})

test('a stage with deals in it, or in their history, stays, and so does its pipeline', (t) => {
  const { edit, deal, move, show } = settingsFixture(t)
  edit(({ pipelines }) => pipelines.push({ ...partners, stages: stages('only') }))
  const before = show()
  const without = (key: string) => () =>
    edit(({ pipelines }) => {
      pipelines[0]!.stages = pipelines[0]!.stages.filter((stage) => stage.key !== key)
    })
  const present = deal()
  assert.throws(without('qualified'), /"sales\/qualified" cannot be removed because one deal is in it/)
  move(present, 'proposal')
  assert.throws(without('proposal'), problem(409, 'stage_in_use'))
  assert.throws(without('qualified'), problem(409, 'stage_in_use'))
  assert.throws(without('qualified'), /deals have been in it/)
  assert.throws(() => edit(({ pipelines }) => pipelines.shift()), problem(409, 'stage_in_use'))
  assert.deepEqual(show(), before)
  assert.deepEqual(
    said(without('demo')()),
    ['removed demo', 'updated proposal', 'updated negotiation', 'updated won', 'updated lost'].map((text) =>
      text.replace(' ', ' sales/'),
    ),
  )
})

test('a stage without deals changes between open, won and lost, also by swapping', (t) => {
  const { edit, show } = settingsFixture(t)
  const outcomes = () => show().pipelines[0]?.stages.map(({ key, outcome }) => `${key} ${outcome ?? 'open'}`)
  const changed = edit(({ pipelines }) => {
    const [, , , , won, lost] = pipelines[0]!.stages
    won!.outcome = 'lost'
    lost!.outcome = 'won'
  })
  assert.deepEqual(
    changed.map(({ key, fields }) => [key, fields]),
    [
      ['sales/won', { outcome: { from: 'won', to: 'lost' } }],
      ['sales/lost', { outcome: { from: 'lost', to: 'won' } }],
    ],
  )
  assert.deepEqual(outcomes()?.slice(4), ['won lost', 'lost won'])
  const moved = edit(({ pipelines }) => {
    const [first, , , , won] = pipelines[0]!.stages
    first!.outcome = 'lost'
    delete won!.outcome
  })
  assert.deepEqual(
    moved.map(({ key, fields }) => [key, fields]),
    [
      ['sales/qualified', { outcome: { from: null, to: 'lost' } }],
      ['sales/won', { outcome: { from: 'lost', to: null } }],
    ],
  )
  assert.deepEqual(outcomes(), [
    'qualified lost',
    'demo open',
    'proposal open',
    'negotiation open',
    'won open',
    'lost won',
  ])
})

test('a change of outcome is one change: the version grows by one, and is_open follows', (t) => {
  const { edit, rows } = settingsFixture(t)
  edit(({ pipelines }) => {
    const [first, , , , won] = pipelines[0]!.stages
    first!.outcome = 'won'
    delete won!.outcome
  })
  assert.deepEqual(
    rows('stages').map(({ key, is_open, version }) => `${key} ${is_open} ${version}`),
    ['qualified 0 2', 'demo 1 1', 'proposal 1 1', 'negotiation 1 1', 'won 1 2', 'lost 0 1'],
  )
})

test('a stage with deals does not change between open, won and lost', (t) => {
  const { edit, deal, close, show } = settingsFixture(t)
  close(deal(), 'best_fit')
  deal()
  const before = show()
  const makeWon = (key: string) => () =>
    edit(({ pipelines }) => {
      for (const stage of pipelines[0]!.stages) {
        if (stage.outcome === 'won') delete stage.outcome
        if (stage.key === key) stage.outcome = 'won'
      }
    })
  assert.throws(makeWon('demo'), /"sales\/won" cannot change between open, won and lost because one deal is in it/)
  assert.throws(
    () =>
      edit(({ pipelines }) => {
        const [first, , , , , lost] = pipelines[0]!.stages
        first!.outcome = 'lost'
        delete lost!.outcome
      }),
    problem(409, 'stage_in_use'),
  )
  assert.deepEqual(show(), before)
})
