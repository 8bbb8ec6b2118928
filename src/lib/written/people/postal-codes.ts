import { plainText } from '../characters.ts'
import { type Reading, unread } from '../reading.ts'

// The codes of places. Spreadsheets take those of digits alone for numbers, and drop the 0 in front.

/** How many digits the codes of a country have, where they have nothing else and may begin with 0. */
const DIGITS: { readonly [country: string]: number } = {
  ...Object.fromEntries(
    'DE FR ES IT FI EE LT HR RS UA TR MX MY TH SA KW MA DZ PE US'.split(' ').map((code) => [code, 5]),
  ),
  ...Object.fromEntries('RO RU IN SG CN KZ VN BY CO'.split(' ').map((code) => [code, 6])),
}

/**
 * A code as it is kept. The 0 that a spreadsheet has dropped comes back if the country of the row is known: one digit of a
 * code of five, and two of American ones.
 */
export function readPostalCode(given: string, country?: string, region?: string): Reading<string> {
  const text = plainText(given)
  if (/^\d+(?:[.,]\d+)?E[+-]?\d+$/i.test(text) || /^\d{3,}[.,]0+$/.test(text)) return unread(given, 'spreadsheet')
  const length = DIGITS[country ?? '']
  const isShort = length !== undefined && /^\d+$/.test(text) && mayBeginWithZero(country, region)
  const least = country === 'US' ? 3 : (length ?? 0) - 1
  return { value: isShort && text.length >= least ? text.padStart(length, '0') : text.replace(/^〒\s*/, '') }
}

/** The American states of which the codes begin with 0. */
const ZERO = new Set('CT MA ME NH NJ PR RI VT VI AE'.split(' '))

/** A state of others says that another digit is missing. */
function mayBeginWithZero(country: string | undefined, region: string | undefined): boolean {
  if (country !== 'US' || region === undefined) return true
  const code = [...(STATES.US ?? [])].find(([short, name]) => short === region || name === region.toLowerCase())?.[0]
  return code === undefined || ZERO.has(code)
}

const states = (text: string): readonly [string, string][] =>
  text
    .trim()
    .split(/\s*;\s*/)
    .map((each) => each.split('=') as [string, string])

/** By their codes, in the countries where an address has the code behind the town. */
export const STATES: { readonly [country: string]: ReadonlyMap<string, string> } = {
  US: new Map(
    states(`AL=alabama;AK=alaska;AZ=arizona;AR=arkansas;CA=california;CO=colorado;CT=connecticut;DE=delaware;DC=district of columbia;
      FL=florida;GA=georgia;HI=hawaii;ID=idaho;IL=illinois;IN=indiana;IA=iowa;KS=kansas;KY=kentucky;LA=louisiana;ME=maine;MD=maryland;
      MA=massachusetts;MI=michigan;MN=minnesota;MS=mississippi;MO=missouri;MT=montana;NE=nebraska;NV=nevada;NH=new hampshire;
      NJ=new jersey;NM=new mexico;NY=new york;NC=north carolina;ND=north dakota;OH=ohio;OK=oklahoma;OR=oregon;PA=pennsylvania;
      PR=puerto rico;RI=rhode island;SC=south carolina;SD=south dakota;TN=tennessee;TX=texas;UT=utah;VT=vermont;VA=virginia;
      WA=washington;WV=west virginia;WI=wisconsin;WY=wyoming`),
  ),
  CA: new Map(
    states(`AB=alberta;BC=british columbia;MB=manitoba;NB=new brunswick;NL=newfoundland and labrador;NS=nova scotia;
      NT=northwest territories;NU=nunavut;ON=ontario;PE=prince edward island;QC=quebec;SK=saskatchewan;YT=yukon`),
  ),
  AU: new Map(
    states(`NSW=new south wales;VIC=victoria;QLD=queensland;WA=western australia;SA=south australia;TAS=tasmania;
      ACT=australian capital territory;NT=northern territory`),
  ),
  BR: new Map(
    'AC AL AP AM BA CE DF ES GO MA MT MS MG PA PB PR PE PI RJ RN RS RO RR SC SP SE TO'
      .split(' ')
      .map((code) => [code, '']),
  ),
  CH: new Map(
    'AG AI AR BE BL BS FR GE GL GR JU LU NE NW OW SG SH SO SZ TG TI UR VD VS ZG ZH'
      .split(' ')
      .map((code) => [code, '']),
  ),
}

/** Provinces that stand behind the town: Italy's, always of two capitals. */
export const hasProvinces = (country: string | undefined): boolean => country === 'IT' || country === undefined
