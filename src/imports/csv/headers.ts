import { fold } from '../../lib/fold.ts'
import type { ImportObject } from '../writes.ts'

// Column names of other programs: HubSpot, Pipedrive, Google Contacts and Outlook, and of German, French and Spanish
// files. In the form that `headerKey` returns, so that case, accents and punctuation do not matter.

/** Returns a header without case, accents and punctuation: `E-mail 1 - Value` → `email 1 value`. */
export function headerKey(header: string): string {
  return fold(header)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/\be (?=mail|post)/g, 'e')
    .trim()
}

const address = {
  'address.line1':
    'address line 1, address 1, address, postal address, street, street address, street 1, address street, business street, mailing street, billing street, strasse, strasse und hausnummer, strasse hausnummer, anschrift, adresse, strasse geschaftlich, rue, adresse 1, adresse ligne 1, calle, direccion, domicilio',
  'address.line2':
    'address line 2, address 2, street 2, business street 2, address extended address, apartment, adresszusatz, adresse 2, complement, complement d adresse, direccion 2',
  'address.city':
    'city, town, city town village locality of address, address city, business city, mailing city, billing city, postal town, ort, stadt, wohnort, ort geschaftlich, ville, localite, ciudad, poblacion, localidad',
  'address.region':
    'region, state, state county of address, state region, state province, province, county, address region, address state, business state, mailing state, billing state, bundesland, kanton, departement, provincia, estado, comunidad autonoma',
  'address.postal_code':
    'zip, zip code, zip postal code of address, postal code, postcode, zip postal code, address postal code, address zip, address zip postal code, business postal code, mailing zip, billing zip, plz, postleitzahl, postleitzahl geschaftlich, code postal, cp, codigo postal',
  'address.country':
    'country, country region, country of address, country code, address country, business country, business country region, mailing country, billing country, land, staat, land region, land region geschaftlich, pays, pais',
}

const common = {
  owner_id:
    'owner, owner email, owner name, record owner, account owner, assigned to, assignee, zustandig, inhaber, besitzer, bearbeiter, betreuer, verantwortlich, verantwortlicher, proprietaire, responsable, propietario',
  tag_ids:
    'tags, tag, label, labels, categories, category, group membership, schlagworte, schlagworter, kategorien, etiketten, etiquettes, categorie, etiquetas, categorias',
  external_id:
    'external id, record id, id, object id, system id, externe id, identifiant, kundennummer, customer number',
  originally_created_at:
    'created at, created, created on, created date, create date, creation date, date created, erstellt, erstellt am, erstellungsdatum, date de creation, cree le, fecha de creacion, creado el',
}

/** By field, separated by commas. Our own wire names are recognised without being listed here. */
export const HEADERS: Record<ImportObject, Record<string, string>> = {
  contact: {
    first_name: 'first name, firstname, given name, forename, vorname, prenom, nombre de pila, primer nombre',
    last_name:
      'last name, lastname, surname, family name, nachname, familienname, zuname, nom de famille, apellido, apellidos',
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
      'mobile, mobile phone, mobile phone number, mobile number, cell, cell phone, cellphone, phone mobile, phone other, other phone, phone cell, handy, handynummer, mobil, mobiltelefon, mobilnummer, mobilfunk, portable, telephone portable, mobile telephone, movil, telefono movil, celular',
    job_title:
      'job title, title, position, role, organization title, berufsbezeichnung, beruf, stelle, funktion, jobtitel, poste, fonction, titre, intitule du poste, cargo, puesto',
    company_id:
      'company, company name, company id, organization, organization name, organisation, organisation name, account, account name, associated company, primary company, employer, firma, firmenname, unternehmen, gesellschaft, entreprise, societe, nom de l entreprise, empresa, compania, nombre de la empresa',
    ...common,
    owner_id: `contact owner, ${common.owner_id}`,
    linkedin_url: 'linkedin, linkedin url, linkedin profile, linkedin profil, linkedin bio',
    website:
      'website, website url, web page, web site, homepage, url, website value, webseite, internetseite, internet, site web, site internet, sitio web, pagina web, personal website',
    ...address,
    timezone: 'timezone, time zone, zeitzone, fuseau horaire, zona horaria',
    language: 'language, preferred language, sprache, langue, idioma',
    do_not_contact:
      'do not contact, do not call, unsubscribed from all email, opted out, opted out of email, email opt out, nicht kontaktieren, ne pas contacter, no contactar',
    source:
      'source, lead source, original source, contact source, quelle, herkunft, leadquelle, origine, provenance, fuente, origen',
  },
  company: {
    name: 'name, company, company name, organization, organization name, organisation, organisation name, account, account name, firma, firmenname, unternehmen, unternehmensname, nom, entreprise, societe, raison sociale, nom de l entreprise, nombre, empresa, nombre de la empresa, razon social',
    domains:
      'domain, domains, domain name, company domain name, company domain, email domain, domane, domaine, nom de domaine, dominio',
    website:
      'website, website url, web page, web site, homepage, url, webseite, internetseite, internet, site web, site internet, sitio web, pagina web',
    phone:
      'phone, phone number, telephone, tel, company phone, main phone, business phone, telefon, telefonnummer, rufnummer, numero de telephone, telefono, numero de telefono',
    industry: 'industry, sector, branche, wirtschaftszweig, secteur, secteur d activite, sector industrial, industria',
    employee_count:
      'employee count, employees, number of employees, no of employees, headcount, company size, mitarbeiter, mitarbeiterzahl, anzahl mitarbeiter, effectif, nombre d employes, empleados, numero de empleados',
    annual_revenue:
      'annual revenue, revenue, turnover, jahresumsatz, umsatz, chiffre d affaires, chiffre d affaires annuel, ingresos, ingresos anuales, facturacion',
    currency: 'currency, currency code, company currency, wahrung, devise, moneda, divisa',
    linkedin_url: 'linkedin, linkedin url, linkedin profile, linkedin company page, linkedin profil',
    ...address,
    'address.line1': `full combined address of address, ${address['address.line1']}`,
    parent_company_id:
      'parent company, parent company id, parent organization, parent account, parent, muttergesellschaft, mutterfirma, konzern, societe mere, maison mere, empresa matriz, matriz',
    ...common,
    owner_id: `company owner, ${common.owner_id}`,
    description:
      'description, about, about us, notes, note, beschreibung, notiz, notizen, descriptif, descripcion, notas',
  },
  deal: {
    title:
      'title, name, deal, deal name, deal title, opportunity, opportunity name, subject, titel, bezeichnung, geschaft, geschaftsname, verkaufschance, titre, affaire, nom de l affaire, nom de la transaction, nom, titulo, negocio, nombre del negocio, nombre, oportunidad',
    amount:
      'amount, value, deal value, deal amount, price, betrag, wert, summe, auftragswert, volumen, montant, valeur, importe, valor, cantidad, monto',
    currency:
      'currency, currency code, currency of value, deal currency, deal currency code, wahrung, devise, moneda, divisa',
    stage: 'stage, deal stage, stage name, pipeline stage, phase, stufe, etape, etape de la transaction, etapa, fase',
    pipeline_id: 'pipeline, pipeline id, pipeline name, deal pipeline, sales pipeline, vertriebspipeline',
    status: 'status, deal status, outcome, statut, estado',
    close_reason_id:
      'close reason, close reason id, close reason name, closed lost reason, closed won reason, lost reason, won reason, reason, loss reason, grund, verlustgrund, abschlussgrund, motif, raison de la perte, motivo, motivo de perdida',
    company_id:
      'company, company name, company id, organization, organization name, organisation, organisation name, account, account name, associated company, primary company, associated company names, firma, firmenname, unternehmen, entreprise, societe, empresa, compania',
    primary_contact_id:
      'primary contact, primary contact id, primary contact email, contact, contact name, contact email, contact person, person, person name, associated contact, associated contacts, associated contact emails, kontakt, ansprechpartner, kontaktperson, contact principal, contacto, contacto principal, persona de contacto',
    owner_id: `deal owner, ${common.owner_id}`,
    tag_ids: common.tag_ids,
    external_id: common.external_id,
    originally_created_at: common.originally_created_at,
    expected_close_date:
      'expected close date, close date, closing date, expected close, forecast close date, abschlussdatum, erwartetes abschlussdatum, voraussichtlicher abschluss, date de cloture, date de cloture prevue, date de fermeture, fecha de cierre, fecha de cierre prevista',
  },
}

/** Prefixes that other programs add to an object's own columns: Pipedrive's `Person - Email - Work`. */
const OWN_PREFIX: Record<ImportObject, RegExp> = {
  contact: /^(?:person|contact|lead|kontakt) /,
  company: /^(?:organization|organisation|company|account|firma) /,
  deal: /^(?:deal|opportunity) /,
}

const KNOWN = Object.fromEntries(
  Object.entries(HEADERS).map(([object, fields]) => [
    object,
    new Map(Object.entries(fields).flatMap(([field, keys]) => keys.split(', ').map((key) => [key, field] as const))),
  ]),
) as Record<ImportObject, Map<string, string>>

/** Returns the field for a column name used by another program. */
export function fieldOfHeader(object: ImportObject, header: string): string | undefined {
  const key = headerKey(header)
  const bare = key.replace(OWN_PREFIX[object], '')
  // `Address 2` is a second line; in `Email 2` and `Phone 1 - Value` the number only counts.
  const unnumbered = bare.replace(/ ?\b\d+\b/g, '').trim()
  const known = KNOWN[object]
  return known.get(key) ?? known.get(bare) ?? known.get(unnumbered)
}
