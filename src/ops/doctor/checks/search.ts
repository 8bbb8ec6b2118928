import { resourceDeps } from '../../../app/deps.ts'
import { openStore } from '../../../store/open.ts'
import { compact } from '../../../store/remnants.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import { counted, type Finding, type Fix, fail, pass, some } from '../finding.ts'
import { differingDocs, everyOrg, isIndexRight, missingDocs, wholeOrgs } from '../inspect/search-state.ts'
import { emptySearch, fillSearch } from '../inspect/search-tables.ts'
import { depsOf, type Patient } from '../patient.ts'
import { searched } from '../searched.ts'

const ADVICE =
  'Stop the server and use "dealbox doctor --fix", which builds the search anew from the records. Nothing is lost; until then searches find too little, or nothing.'

/** Whether what is searched is what the records say. */
export function search(patient: Patient): Finding {
  if (patient.isSearchDamaged())
    return fail(`The search is damaged: ${some(patient.pageErrors(), 3)}.`, ADVICE, anew(patient, true))
  const db = patient.database.db as Database
  const missing = missingDocs(db)
  if (missing > 0) return fail(`The search does not know ${counted(missing, 'record')}.`, ADVICE, anew(patient, false))
  if (!isIndexRight(db)) return fail('The search has other words than its documents.', ADVICE, anew(patient, false))
  if (!patient.isFull) return pass('The search knows all records; --full also compares their words.')
  const differing = differingDocs(db, wholeOrgs(db), searched(depsOf(patient)))
  if (differing === 0) return pass('The search knows all records, by their words.')
  return fail(`The search has other words than ${counted(differing, 'record')}.`, ADVICE, anew(patient, false))
}

/** `isDamaged`: what is in its tables cannot be read. */
const anew = ({ dataDir }: Patient, isDamaged: boolean): Fix => ({
  isAlone: true,
  isOfSearch: true,
  run: () => buildAnew(dataDir, isDamaged),
})

function buildAnew(dataDir: string, isDamaged: boolean): string {
  emptySearch(dataDir, isDamaged)
  const store = openStore(dataDir)
  try {
    const count = fillSearch(store, everyOrg(store.db), searched(resourceDeps(store)))
    const done = `Built the search anew, of ${counted(count, 'document')}.`
    return !isDamaged || compact(store.db) ? done : `${done} ${NO_SPACE}`
  } finally {
    store.close()
  }
}

const NO_SPACE =
  'The damaged pages are still in the file, where nothing uses them: there is too little space to write it anew. Free as much as the database has, and use --fix again.'
