import { CULTURES } from './people.ts'
import { list, plain, table } from './words.ts'

/** `plain` is the form for addresses: "O'Brien Logistics" is "obrien-logistics". */
export type Root = { text: string; plain: string }
/** % stands for the founder, the place or whatever else the company is named after. */
export type Trade = { text: string; plain: string; industry: string }
/** The first `surnames` roots are surnames. A name has one root (`singles` of them) or two surnames (`doubles`). */
export type CompanyWords = { roots: Root[]; surnames: number; trades: Trade[]; singles: Ring; doubles: Ring }
/** Numbers from 0 to `size`; steps of `step` visit all of them. */
export type Ring = { size: number; step: number }

function words(code: string, roots: string, trades: string): [string, CompanyWords] {
  const root = (text: string): Root => ({ text, plain: plain(text, '-', code) })
  const trade = ([text = '', industry = '']: string[]): Trade => {
    const [before = '', after = ''] = text.split('%').map((part) => plain(part, '-', code))
    return { text, plain: [before, '%', after].filter(Boolean).join('-'), industry }
  }
  const surnames = CULTURES.find((culture) => culture.code === code)?.last ?? []
  const allRoots = [...surnames.map(({ text }) => root(text)), ...list(roots).map(root)]
  const allTrades = table(trades).map(trade)
  const singles = ring(allRoots.length * allTrades.length)
  const doubles = ring(surnames.length * (surnames.length - 1) * allTrades.length)
  return [code, { roots: allRoots, surnames: surnames.length, trades: allTrades, singles, doubles }]
}

/** The golden ratio keeps neighbours far apart, so that even a few companies are in many trades. */
function ring(size: number): Ring {
  let step = Math.round(size * 0.618)
  while (commonDivisor(step, size) > 1) step += 1
  return { size, step }
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}

/**
 * No trade occurs in two cultures: together with the numbered names of each, that makes every company name and domain
 * unique.
 */
export const COMPANY_WORDS = new Map([
  words(
    'en',
    `Northgate, Bluewater, Silverline, Ironbridge, Greenfield, Oakmoor, Stonecroft, Brightwater, Fairhaven, Riverside,
     Kestrel, Lighthouse, Copperfield, Saltmarsh`,
    `% Logistics; Logistics
     % Freight; Logistics
     % Couriers; Logistics
     % Construction; Construction
     % Scaffolding; Construction
     % Homes; Real estate
     % Property Group; Real estate
     % Foods; Food and beverages
     % Bakeries; Food and beverages
     % Brewing; Food and beverages
     % Engineering; Manufacturing
     % Precision Tools; Manufacturing
     % Packaging; Manufacturing
     % Plastics; Manufacturing
     % Care Homes; Health care
     % Dental; Health care
     % Clinics; Health care
     % Hotels; Hospitality
     % Leisure; Hospitality
     % Insurance Brokers; Insurance
     % Wealth; Financial services
     % Energy; Energy
     % Solar; Energy
     % Learning; Education
     % Analytics; Software
     % Systems; Software
     % Garden Centres; Retail
     % Outfitters; Retail
     % Legal; Professional services
     % Associates; Professional services`,
  ),
  words(
    'de',
    'Nordlicht, Elbtal, Hansehafen, Alpenrand, Rheinufer, Lindenhof, Seeblick, Eichenau',
    `% Logistik; Logistics
     Spedition %; Logistics
     % Maschinenbau; Manufacturing
     % Werkzeugbau; Manufacturing
     % Medizintechnik; Health care
     % Pflegedienste; Health care
     % Hochbau; Construction
     % Gebäudetechnik; Construction
     % Holzbau; Construction
     % Backwaren; Food and beverages
     % Brauerei; Food and beverages
     % Versicherungsmakler; Insurance
     % Immobilien; Real estate
     % Solartechnik; Energy
     % Windkraft; Energy
     % Verlag; Media
     % Akademie; Education
     % Gartenmarkt; Retail
     % Steuerberatung; Professional services
     % Datensysteme; Software`,
  ),
  words(
    'fr',
    'Bellerive, Montclair, Grand Large, Beauséjour, Val d’Or',
    `Transports %; Logistics
     % Messagerie; Logistics
     Ateliers %; Manufacturing
     % Mécanique; Manufacturing
     Laboratoires %; Health care
     Cliniques %; Health care
     % Bâtiment; Construction
     Charpentes %; Construction
     Maison %; Food and beverages
     Boulangeries %; Food and beverages
     Hôtels %; Hospitality
     % Assurances; Insurance
     % Immobilier; Real estate
     Éditions %; Media
     % Énergies; Energy
     Pépinières %; Retail`,
  ),
  words(
    'nl',
    'Noordzee, Waterland, De Linden, Zuiderhaven',
    `% Logistiek; Logistics
     % Koeriers; Logistics
     % Machinebouw; Manufacturing
     % Verpakkingen; Manufacturing
     % Bouw; Construction
     % Installatietechniek; Construction
     Bakkerijen %; Food and beverages
     % Bloemen; Agriculture
     % Zorg; Health care
     % Vastgoed; Real estate
     % Verzekeringen; Insurance
     % Zonne-energie; Energy
     Uitgeverij %; Media`,
  ),
  words(
    'sv',
    'Norrsken, Granskog, Sjöglimt, Kronberg',
    `% Åkeri; Logistics
     % Frakt; Logistics
     % Mekaniska; Manufacturing
     % Verkstad; Manufacturing
     % Bygg; Construction
     % Måleri; Construction
     % Bageri; Food and beverages
     % Vårdcentral; Health care
     % Fastigheter; Real estate
     % Försäkring; Insurance
     % Vindkraft; Energy
     % Redovisning; Professional services`,
  ),
  words(
    'no',
    'Nordlys, Fjellheim, Havbris, Storvik',
    `% Logistikk; Logistics
     % Spedisjon; Logistics
     % Rederi; Transport
     % Entreprenør; Construction
     % Verksted; Manufacturing
     % Sjømat; Food and beverages
     % Bakeri; Food and beverages
     % Eiendom; Real estate
     % Regnskap; Professional services
     % Kraft; Energy
     % Klinikk; Health care`,
  ),
  words(
    'da',
    'Nordkyst, Strandby, Lillebælt, Havnely',
    `% Spedition; Logistics
     % Vognmandsforretning; Logistics
     % Byg; Construction
     % Tømrer & Snedker; Construction
     % Maskinfabrik; Manufacturing
     % Møbler; Manufacturing
     % Mejeri; Food and beverages
     % Bryghus; Food and beverages
     % Ejendomme; Real estate
     % Revision; Professional services
     % Vindenergi; Energy
     % Lægehus; Health care`,
  ),
  words(
    'fi',
    'Pohjantuuli, Järvenranta, Kuusikko',
    `% Kuljetus; Logistics
     % Rakennus; Construction
     % Konepaja; Manufacturing
     % Leipomo; Food and beverages
     % Metsäpalvelut; Agriculture
     % Kiinteistöt; Real estate
     % Ohjelmistot; Software
     % Lääkärit; Health care`,
  ),
  words(
    'es',
    'Costa Azul, Sierra Alta, Puerto Viejo, Los Olivos',
    `Transportes %; Logistics
     % Mensajería; Logistics
     Construcciones %; Construction
     Reformas %; Construction
     Talleres %; Manufacturing
     % Envases; Manufacturing
     Bodegas %; Food and beverages
     Conservas %; Food and beverages
     Hoteles %; Hospitality
     Clínica %; Health care
     Inmobiliaria %; Real estate
     Seguros %; Insurance
     % Energía Solar; Energy`,
  ),
  words(
    'pt',
    'Atlântico, Serra da Estrela, Vale Verde',
    `Transportadora %; Logistics
     Construções %; Construction
     % Metalomecânica; Manufacturing
     Cerâmicas %; Manufacturing
     Vinhos %; Food and beverages
     Padarias %; Food and beverages
     Hotéis %; Hospitality
     Clínicas %; Health care
     Imobiliária %; Real estate
     % Contabilidade; Professional services`,
  ),
  words(
    'it',
    'Lungomare, Valdoro, Montefiore, Belvedere',
    `Trasporti %; Logistics
     Costruzioni %; Construction
     Officine %; Manufacturing
     % Imballaggi; Manufacturing
     Cantine %; Food and beverages
     Pastificio %; Food and beverages
     Alberghi %; Hospitality
     % Arredamenti; Retail
     % Immobiliare; Real estate
     Assicurazioni %; Insurance
     Edizioni %; Media`,
  ),
  words(
    'pl',
    'Bursztyn, Złoty Kłos, Nadwiśle',
    `% Transport; Logistics
     % Spedycja; Logistics
     % Budownictwo; Construction
     % Obrabiarki; Manufacturing
     % Opakowania; Manufacturing
     Piekarnie %; Food and beverages
     Sady %; Agriculture
     Przychodnia %; Health care
     % Nieruchomości; Real estate
     % Oprogramowanie; Software`,
  ),
  words(
    'hu',
    'Tisza, Aranykalász',
    `% Fuvarozás; Logistics
     % Építőipar; Construction
     % Gépgyártó; Manufacturing
     % Borászat; Food and beverages
     % Ingatlan; Real estate
     % Szoftver; Software`,
  ),
  words(
    'ja',
    'Asahigaoka, Minatomachi',
    `% Shipping; Logistics
     % Seiki; Manufacturing
     % Denki; Manufacturing
     % Shokuhin; Food and beverages
     % Kensetsu; Construction
     % Shōji; Retail
     % Ryokan; Hospitality`,
  ),
  words(
    'in',
    'Lotus Valley, Saffron Hill',
    `% Supply Chain; Logistics
     % Infotech; Software
     % Textiles; Manufacturing
     % Pharma Labs; Health care
     % Agro Exports; Agriculture
     % Infrastructure; Construction
     % Hospitality; Hospitality`,
  ),
])
