import { fold } from '../../../lib/pure/fold.ts'
import type { ImportObject } from '../../writable.ts'
import { ACTIVITY_HEADERS, ACTIVITY_PREFIX } from '../activities/headers.ts'
import { addressColumns } from './address-headers.ts'
import { PRODUCT_HEADERS, type ProductHeaders } from './product-headers.ts'

// Column names of other programs: HubSpot, Pipedrive, Salesforce, Google Contacts, Outlook, LinkedIn and Airtable, and of
// German, French and Spanish files. In the form that `headerKey` returns, so that case, accents and punctuation do not
// matter. Behind a bar are names that count only if the file has none of those before it: Outlook's "Title" is Mr or Dr
// beside "Job Title", and a position where it stands alone.

/** Returns a header without case, accents and punctuation: `E-mail 1 - Value` → `email 1 value`. */
export function headerKey(header: string): string {
  return fold(header)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/\be (?=mail|post)/g, 'e')
    .trim()
}

const owner =
  'owner, owner email, owner name, record owner, assigned to, assignee, zustandig, inhaber, besitzer, bearbeiter, betreuer, verantwortlich, verantwortlicher, proprietaire, responsable, propietario'

const common = {
  tag_ids:
    'tags, tag, label, labels, categories, category, group membership, schlagworte, schlagworter, kategorien, etiketten, etiquettes, categorie, etiquetas, categorias, groups',
  external_id:
    'external id, record id, id, object id, system id, pipedrive system id, uid, id de registro, datensatz id, externe id, identifiant | kundennummer, customer number',
  originally_created_at:
    'create date, created date, creation date, date created, created, created at, created on, created time, date added, add time, person created, contact created, organization created, company created, deal created, opportunity created, connected on, erstellt, erstellt am, erstellungsdatum, angelegt am, date de creation, cree le, fecha de creacion, creado el',
}

const notes =
  'notes, note, comments, comment, remarks, associated note, notiz, notizen, bemerkung, bemerkungen, anmerkungen, kommentar, remarques, commentaire, commentaires, notas, comentarios'
const descriptions = 'description, about, about us, beschreibung, descriptif, descripcion'

/** Ids of the companies and contacts of another product: better than their names, but a record may not have its id. */
const companyIds =
  'associated company ids primary, primary associated company id | account id, company id, organization id, organisation id, associated company ids, associated company id'
const contactIds =
  'contact id, contact person id, person id, associated contact ids, associated contact id, primary contact id'

/** By field, separated by commas. Our own wire names are recognised without being listed here. */
export const HEADERS: Record<ImportObject, Record<string, string>> = {
  contact: {
    first_name: 'first name, firstname, given name, forename, vorname, prenom, nombre de pila, primer nombre',
    last_name:
      'last name, lastname, surname, family name, nachname, familienname, zuname, nom de famille, apellido, apellidos',
    middle_name: 'middle name, second name, additional name, zweiter vorname, deuxieme prenom, segundo nombre',
    name: 'name, full name, fullname, display name, file as, contact, contact name, person, vollstandiger name, ganzer name, kontakt, ansprechpartner, nom complet, nom, nombre completo, nombre, contacto',
    emails:
      'email, emails, email address, email addresses, email value, primary email, mail, mail address, email adresse, emailadresse, emailadressen, mailadresse, mail adresse, courriel, adresse email, adresse mail, adresse electronique, correo, correo electronico, direccion de correo, additional email addresses, email other addresses',
    'emails.work':
      'email work, work email, business email, company email, email geschaftlich, geschaftliche email, email professionnel, email pro, email trabajo, email del trabajo',
    'emails.home':
      'email home, home email, personal email, private email, email privat, private email adresse, email personnel, email personal',
    'emails.other': 'email other, other email, secondary email, email sonstige, email autre, email otro',
    phones:
      'phone, phones, phone number, phone numbers, phone value, primary phone, telephone, telephone number, tel, telefon, telefonnummer, rufnummer, numero de telephone, telefono, numero de telefono, main phone',
    'phones.work':
      'phone work, work phone, business phone, company phone, company main phone, office phone, telefon geschaftlich, telefon buro, telephone professionnel, telephone bureau, telefono trabajo, telefono del trabajo',
    'phones.home':
      'phone home, home phone, personal phone, private phone, telefon privat, telephone domicile, telephone personnel, telefono casa, telefono particular',
    'phones.other':
      'mobile, mobile phone, mobile phone number, mobile number, cell, cell phone, cellphone, phone mobile, phone other, other phone, phone cell, car phone, radio phone, handy, handynummer, mobil, mobiltelefon, mobilnummer, mobilfunk, portable, telephone portable, mobile telephone, movil, telefono movil, celular',
    job_title:
      'job title, position, role, organization title, berufsbezeichnung, beruf, stelle, funktion, jobtitel, poste, fonction, intitule du poste, cargo, puesto | title, titre',
    company_id: `associated company primary, primary company, primary associated company name | company, company name, companies, company names, organization, organization name, organisation, organisation name, account, account name, associated company, employer, firma, firmenname, unternehmen, gesellschaft, entreprise, societe, nom de l entreprise, empresa, compania, nombre de la empresa`,
    company_external_id: companyIds,
    ...common,
    owner_id: `contact owner, propietario del contacto, ${owner} | account owner`,
    linkedin_url:
      'linkedin, linkedin url, linkedin profile, linkedin profil, linkedin page, linkedin profile url | linkedin bio',
    website:
      'website, urls, website url, web page, web site, homepage, url, website value, webseite, internetseite, internet, site web, site internet, sitio web, pagina web, personal website',
    timezone: 'timezone, time zone, zeitzone, fuseau horaire, zona horaria',
    language: 'language, preferred language, sprache, langue, idioma',
    do_not_contact:
      'do not contact, do not call, do not email, do not mail, unsubscribed, unsubscribed from all email, opted out, opt out, opted out of email, opted out of email marketing information, email opt out, has opted out of email, fax opt out, marketing status, email marketing status, nicht kontaktieren, ne pas contacter, no contactar',
    source:
      'source, lead source, original source, contact source, quelle, herkunft, leadquelle, origine, provenance, fuente, origen',
    notes: `${notes}, ${descriptions}`,
  },
  company: {
    name: 'name, company, company name, organization, organization name, organisation, organisation name, account, account name, firma, firmenname, unternehmen, unternehmensname, nom, entreprise, societe, raison sociale, nom de l entreprise, nombre, empresa, nombre de la empresa, razon social',
    domains:
      'domain, domains, domain name, company domain name, company domain, email domain, domane, domaine, nom de domaine, dominio, nombre de dominio de la empresa',
    website:
      'website, urls, website url, web page, web site, homepage, url, website value, webseite, internetseite, internet, site web, site internet, sitio web, pagina web',
    phone:
      'phone, phone value, phone number, telephone, tel, company phone, main phone, business phone, telefon, telefonnummer, rufnummer, numero de telephone, telefono, numero de telefono',
    industry: 'industry, sector, branche, wirtschaftszweig, secteur, secteur d activite, sector industrial, industria',
    employee_count:
      'employee count, employees, number of employees, no of employees, headcount, company size, mitarbeiter, mitarbeiterzahl, anzahl mitarbeiter, effectif, nombre d employes, empleados, numero de empleados',
    annual_revenue:
      'annual revenue, revenue, turnover, jahresumsatz, umsatz, chiffre d affaires, chiffre d affaires annuel, ingresos, ingresos anuales, facturacion',
    currency:
      'currency, currency code, company currency, annual revenue currency, account currency, wahrung, devise, moneda, divisa',
    linkedin_url: 'linkedin, linkedin url, linkedin profile, linkedin company page, linkedin page, linkedin profil',
    parent_company_id:
      'parent company, parent organization, parent account, parent, muttergesellschaft, mutterfirma, konzern, societe mere, maison mere, empresa matriz, matriz',
    parent_external_id: 'parent id, parent account id, parent record id, parent company id, parent organization id',
    ...common,
    owner_id: `company owner, account owner, ${owner}`,
    description: descriptions,
    notes,
  },
  deal: {
    title:
      'title, name, deal, deal name, deal title, opportunity, opportunity name, subject, titel, bezeichnung, geschaft, geschaftsname, verkaufschance, titre, affaire, nom de l affaire, nom de la transaction, nom, titulo, negocio, nombre del negocio, nombre, oportunidad',
    amount:
      'amount, value, deal value, deal amount, price, betrag, wert, summe, auftragswert, volumen, montant, valeur, importe, valor, cantidad, monto',
    currency:
      'currency, currency code, currency of value, deal currency, deal currency code, amount currency, opportunity currency, wahrung, devise, moneda, divisa',
    stage:
      'stage, deal stage, stage name, pipeline stage, stage pipeline, phase, stufe, etape, etape de la transaction, etapa, fase',
    pipeline_id: 'pipeline, pipeline id, pipeline name, deal pipeline, sales pipeline, vertriebspipeline',
    status: 'status, deal status, outcome, statut, estado',
    close_reason_id:
      'close reason, close reason id, close reason name, closed lost reason, closed won reason, lost reason, won reason, reason, loss reason, grund, verlustgrund, abschlussgrund, motif, raison de la perte, motivo, motivo de perdida',
    company_id: `associated company primary, primary company, primary associated company name, associated company names primary | company, company name, organization, organization name, organisation, organisation name, account, account name, associated company, associated company names, firma, firmenname, unternehmen, entreprise, societe, empresa, compania`,
    company_external_id: companyIds,
    primary_contact_id:
      'primary contact, primary contact email | contact, contact name, contact email, contact person, person, person name, associated contact, associated contacts, associated contact emails, kontakt, ansprechpartner, kontaktperson, contact principal, contacto, contacto principal, persona de contacto',
    contact_external_id: contactIds,
    owner_id: `deal owner, opportunity owner, ${owner} | account owner`,
    ...common,
    expected_close_date:
      'expected close date, close date, closing date, expected close, forecast close date, abschlussdatum, erwartetes abschlussdatum, voraussichtlicher abschluss, date de cloture, date de cloture prevue, date de fermeture, fecha de cierre, fecha de cierre prevista',
    notes: `${notes}, ${descriptions}`,
  },
  ...ACTIVITY_HEADERS,
}

/** Prefixes that other programs add to an object's own columns: Pipedrive's `Person - Email - Work`. */
const OWN_PREFIX: Record<ImportObject, RegExp> = {
  contact: /^(?:person|contact|lead|kontakt) /,
  company: /^(?:organization|organisation|company|account|firma) /,
  deal: /^(?:deal|opportunity) /,
  ...ACTIVITY_PREFIX,
}

/**
 * The field of a column name; of two columns for one field, that with the lower `rank` counts. Those of several addresses are
 * told apart by their group.
 */
type Meaning = { field: string; rank: number; group?: string }

const KNOWN = Object.fromEntries(
  Object.entries(HEADERS).map(([object, fields]) => [object, new Map(Object.entries(fields).flatMap(meanings))]),
) as Record<ImportObject, Map<string, Meaning>>

type Names = { readonly [field: string]: string }

function meanings([field, names]: [string, string]): [string, Meaning][] {
  return names
    .split(' | ')
    .flatMap((group, rank) => group.split(', ').map((key): [string, Meaning] => [key, { field, rank }]))
}

const ofProducts = new Map<Names, Map<string, Meaning[]>>()

function namesOf(names: Names): Map<string, Meaning[]> {
  const known =
    ofProducts.get(names) ??
    new Map(
      [...Map.groupBy(Object.entries(names).flatMap(meanings), ([key]) => key)].map(([key, all]) => [
        key,
        all.map(([, meaning]) => meaning),
      ]),
    )
  ofProducts.set(names, known)
  return known
}

/** Returns the product whose columns these are, if its columns mean something else than elsewhere. */
export function productOfHeaders(headers: readonly string[]): ProductHeaders | undefined {
  const keys = new Set(headers.map(headerKey))
  return PRODUCT_HEADERS.find(({ isIn }) => isIn(keys, headers))
}

/** Returns the fields for the column names of other products, none for unknown ones. */
export function fieldsOfHeaders(object: ImportObject, headers: readonly string[]): readonly Meaning[][] {
  const own = productOfHeaders(headers)?.names[object]
  const names = own && namesOf(own)
  const places = object === 'deal' ? [] : addressColumns(headers.map((header) => keysOf(object, header)))
  return headers.map((header, index) => {
    const key = headerKey(header)
    const place = places[index]
    return (
      names?.get(key) ??
      names?.get(unnumberedKey(key)) ??
      (place ? [{ ...place, rank: 0 }] : meaningOf(object, header)) ??
      []
    )
  })
}

/** Without the name of the object, and with the words of `MailingPostalCode`, as Salesforce's data export has them, apart. */
function keysOf(object: ImportObject, header: string): string[] {
  const key = headerKey(header)
  const split = headerKey(header.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 '))
  const inOrder = (bare: string, whole: string): string[] => (object in ACTIVITY_PREFIX ? [whole, bare] : [bare, whole]) // the outcome of a meeting is its state
  return [...new Set([key, split])].flatMap((each) => inOrder(each.replace(OWN_PREFIX[object], ''), each))
}

/** In `Email 2` and `Phone 1 - Value` the number only counts. */
const unnumberedKey = (key: string): string => key.replace(/ ?\b\d+\b/g, '').trim()

function meaningOf(object: ImportObject, header: string): Meaning[] | undefined {
  const known = KNOWN[object]
  const keys = keysOf(object, header)
  const found = keys.map((key) => known.get(key) ?? known.get(unnumberedKey(key))).find((each) => each !== undefined)
  return found && [found]
}
