import { de as properties } from '../../components/properties/de.ts'
import { de as typed } from '../../components/typed/de.ts'
import { de as record } from '../../record/de.ts'
import { de as stuck } from '../../shell/stuck/de.ts'
import { de as tables } from '../../tables/de.ts'
import { de as filters } from '../../tables/filters/de.ts'
import { de as table } from '../../tables/table/de.ts'
import { de as views } from '../../tables/views/de.ts'

/** What opens on a key or a click shares a file of code: so do its German texts. */
export const parts = { properties, record, table, tables, filters, views, typed, stuck }
