// The encodings with one byte for each letter that files are recognised in, with the languages that they are for. `rare` is how
// much more evidence they need than the usual one of Windows, as a natural logarithm.

export type CodePage = { encoding: string; languages: readonly string[]; rare: number }

const page = (encoding: string, rare: number, languages: string): CodePage => ({
  encoding,
  rare,
  languages: languages.split(' '),
})

const WESTERN = 'de fr es pt it nl sv da nb fi is ca'
const CENTRAL = 'pl cs sk hu ro hr sl sq de'
const CYRILLIC = 'ru uk bg sr'

export const CODE_PAGES: readonly CodePage[] = [
  page('windows-1252', 0, WESTERN),
  page('windows-1250', 1, CENTRAL),
  page('windows-1251', 1, CYRILLIC),
  page('windows-1253', 1, 'el'),
  page('windows-1254', 1, 'tr de fr'),
  page('windows-1255', 1, 'he'),
  page('windows-1256', 1, 'ar fa fr'),
  page('windows-1257', 1.5, 'lt lv et'),
  page('windows-1258', 1.5, 'vi'),
  page('windows-874', 1.5, 'th'),
  page('koi8-r', 3, 'ru bg'),
  page('koi8-u', 3.5, 'uk ru'),
  page('macintosh', 3, WESTERN),
  page('ibm850', 4, WESTERN),
  page('ibm437', 5, 'de fr es it sv nl'),
  page('ibm852', 4.5, CENTRAL),
  page('ibm866', 4, CYRILLIC),
  page('iso-8859-2', 3, CENTRAL),
  page('iso-8859-15', 4, WESTERN),
  page('iso-8859-5', 5, CYRILLIC),
  page('iso-8859-6', 5, 'ar'),
  page('iso-8859-7', 3.5, 'el'),
  page('x-mac-cyrillic', 5, CYRILLIC),
  page('x-mac-ce', 5, CENTRAL),
  page('x-mac-greek', 5, 'el'),
  page('x-mac-turkish', 5, 'tr'),
]
