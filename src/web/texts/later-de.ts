import { de as filters } from '../components/filters/de.ts'
import { de as record } from '../components/record/de.ts'
import { de as table } from '../components/table/de.ts'
import { de as typed } from '../components/typed/de.ts'
import { de as views } from '../components/views/de.ts'
import { de as tables } from '../screens/tables/de.ts'
import { de as stuck } from '../shell/stuck/de.ts'

/** What opens on a key or a click shares a file of code: so do its German texts. */
export const later = { record, table, tables, filters, views, typed, stuck }
