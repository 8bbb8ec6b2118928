import { takeTextsFrom } from '../../../src/web/lib/texts/files.ts'
import { textFiles } from '../../../src/web/screens/texts/files.ts'

// What test/web/tables/copied.test.ts uses of the app, which is bundled: node reads no JSX.

export { textOfValue } from '../../../src/web/components/fields/field-types.ts'
export { loadFigures } from '../../../src/web/components/fields/figures.ts'
export { page } from '../../../src/web/data/boot.ts'
export { locale } from '../../../src/web/lib/locale.ts'
export { setLanguage } from '../../../src/web/lib/texts/texts.ts'
export { cellsOf, copiedAs } from '../../../src/web/tables/table/own-form.ts'
export { readCell } from '../../../src/web/tables/table/read-cell.ts'
export { formatTsv, parseTsv } from '../../../src/web/tables/table/tsv.ts'

takeTextsFrom(textFiles)
