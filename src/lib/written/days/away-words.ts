import { foldWhole } from '../../pure/fold.ts'

/** Lower case without accents, hyphens and apostrophes. */
export const awayKey = (text: string): string => foldWhole(text).replace(/['’-]/g, ' ').replace(/\s+/g, ' ').trim()

/** Days away from today, by language: "hier" is yesterday in French, and here in German. */
const WORDS = `
en 0 today;1 tomorrow|tmrw;2 day after tomorrow|the day after tomorrow;-1 yesterday
de 0 heute;1 morgen;2 übermorgen|uebermorgen;-1 gestern;-2 vorgestern
fr 0 aujourd'hui;1 demain;2 après-demain;-1 hier;-2 avant-hier
es 0 hoy;1 mañana;2 pasado mañana;-1 ayer;-2 anteayer
pt 0 hoje;1 amanhã;2 depois de amanhã;-1 ontem;-2 anteontem
it 0 oggi;1 domani;2 dopodomani;-1 ieri
nl 0 vandaag;1 morgen;2 overmorgen;-1 gisteren;-2 eergisteren
pl 0 dziś|dzisiaj;1 jutro;2 pojutrze;-1 wczoraj;-2 przedwczoraj
sv 0 idag|i dag;1 imorgon|i morgon;2 i övermorgon;-1 igår|i går
da 0 i dag;1 i morgen;2 i overmorgen;-1 i går
nb 0 i dag;1 i morgen;2 i overmorgen;-1 i går
cs 0 dnes;1 zítra;2 pozítří;-1 včera
hu 0 ma;1 holnap;2 holnapután;-1 tegnap
tr 0 bugün;1 yarın;2 öbür gün;-1 dün
ro 0 azi|astăzi;1 mâine;2 poimâine;-1 ieri
ru 0 сегодня;1 завтра;2 послезавтра;-1 вчера
uk 0 сьогодні;1 завтра;2 післязавтра;-1 вчора
ja 0 今日;1 明日;2 明後日|あさって;-1 昨日;-2 一昨日
zh 0 今天;1 明天;2 后天|後天;-1 昨天;-2 前天
ko 0 오늘;1 내일;2 모레;-1 어제`

const AWAY = new Map(
  WORDS.trim()
    .split('\n')
    .map((line): [string, Map<string, number>] => {
      const entries = line
        .slice(3)
        .split(';')
        .flatMap((each) => {
          const [, days, words = ''] = /^(-?\d) (.+)$/.exec(each) ?? []
          return words.split('|').map((word) => [awayKey(word), Number(days)] as const)
        })
      return [line.slice(0, 2), new Map(entries)]
    }),
)

/** Returns how many days a word is away from today in a language. English and German are read by all. */
export const daysAway = (key: string, locale = 'en'): number | undefined =>
  [locale.split('-')[0] ?? '', 'en', 'de']
    .map((language) => AWAY.get(language)?.get(key))
    .find((days) => days !== undefined)
