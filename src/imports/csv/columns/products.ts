import { usage } from '../../../lib/problem.ts'
import { fold } from '../../../lib/pure/fold.ts'
import { ANY_SOURCE } from '../../../records/external-ids.ts'
import { isActivity, productOfActivities } from '../activities/signs.ts'
import type { Source } from '../file/source.ts'

// Recognises the product that a file is from, by columns that only its files have: each product counts its records from 1,
// so that an id alone may be that of another one. Products whose ids are like no others need no sign here.

/** `id`: the column of the ids; `beside`: other columns, of which the file has one. In lower case without accents. */
type Sign = { id: RegExp; beside: RegExp }

const PRODUCTS: Record<string, Sign> = {
  HubSpot: {
    id: /^(?:record|datensatz|objekt|object)[ -]id$|^id (?:de |d['’])?(?:registro|enregistrement|objeto|objet)$/,
    beside:
      /^(?:associated (?:company|companies|contact|deal|note)|zugehorig|zugeordnet|(?:empresa|negocio|contacto)s? asociad|(?:entreprise|transaction|contact)s? associe|lifecycle|marketing contact status|last activity date|company domain name|create date$|unsubscribed from all email|closed (?:lost|won) reason|deal stage|record source|original (?:traffic )?source|erstellungsdatum|fecha de creacion|date de creation)/,
  },
  Pipedrive: {
    id: /^(?:person|people|organi[sz]ation|deal|lead|activity|note|kontakt|personne|persona|organizacion|trato|negocio|affaire|transaction) - id$|^pipedrive system id$/,
    beside: /^[^-]+ - \S/,
  },
  Copper: { id: /^copper id$/, beside: /./ },
  monday: { id: /^item id(?: \(auto generated\))?$/, beside: /^(?:name|subitems|group)$/ },
  Zendesk: { id: /^id$/, beside: /^(?:is organization\??|contact id|in cash|customer status|prospect status)$/ },
  Freshsales: { id: /^id$/, beside: /^(?:sales accounts?|sales owner|recent note$|last contacted mode)/ },
  Bitrix24: { id: /^id$/, beside: /^(?:available to everyone|utm source|responsible person)$/ },
}

const MAX_NAME = 50

type Seen = Pick<Source, 'format' | 'columns'> & Partial<Pick<Source, 'object'>>

/** Returns the product of a file in lower case, or the name that was given; empty if it is not known. */
export function productOf({ format, object, columns }: Seen, given?: string): string {
  if (given !== undefined) return readProduct(given)
  if (object && isActivity(object)) return productOfActivities(columns) ?? ANY_SOURCE
  if (format !== 'csv') return ANY_SOURCE
  const keys = columns.map((column) => fold(column).replace(/\s+/g, ' ').trim())
  // Attio has a "Record ID", too; those of related records are "Company > Record ID".
  if (columns.some((column) => column.includes(' > '))) return ANY_SOURCE
  const found = Object.entries(PRODUCTS).find(([, { id, beside }]) => {
    const at = keys.findIndex((key) => id.test(key))
    return at >= 0 && keys.some((key, index) => index !== at && beside.test(key))
  })
  return found ? fold(found[0]) : ANY_SOURCE
}

/** The name of a product as people write it. */
export const productNamed = (product: string): string =>
  Object.keys(PRODUCTS).find((name) => fold(name) === product) ?? product

function readProduct(given: string): string {
  const product = fold(given.trim())
  if (product === '' || product.length > MAX_NAME)
    throw usage(`--source must be the name of a product, of up to ${MAX_NAME} characters.`)
  return product
}
