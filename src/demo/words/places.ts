import { list, plain, table } from './words.ts'

/** In `postal` and `phone`, # stands for a digit and @ for a letter. */
export type City = {
  name: string
  plain: string
  region: string | null
  postal: string
  timezone: string
  phone: string | null
}
export type Country = {
  code: string
  culture: string
  language: string
  currency: string
  /** Units of the currency per euro, roughly: prices are generated in euros. */
  rate: number
  /** Share of the companies, in percent. */
  share: number
  mobile: string | null
  legalForms: string[]
  /** # is the house number. */
  streets: string[]
  cities: City[]
}

function country(head: string, legalForms: string, streets: string, cities: string): Country {
  const [code = '', culture = '', language = '', currency = '', rate, share, mobile] = table(head)[0] ?? []
  return {
    code,
    culture,
    language,
    currency,
    rate: Number(rate),
    share: Number(share),
    mobile: mobile || null,
    legalForms: list(legalForms),
    streets: list(streets),
    cities: table(cities).map(([name = '', region, postal = '', timezone = '', phone]) => ({
      name,
      plain: plain(name, '-', culture),
      region: region || null,
      postal,
      timezone,
      phone: phone || null,
    })),
  }
}

/**
 * Phone numbers are only from ranges that a country reserves for fiction (Ofcom, Bundesnetzagentur, ARCEP, PTS, ComReg,
 * ACMA, 555-01xx in North America, +36 55 in Hungary); people in countries without such a range have none.
 */
export const COUNTRIES: Country[] = [
  country(
    'GB; en; en; GBP; 0.86; 14; +44 7700 900###',
    'Ltd, Limited, plc',
    '# High Street, # Station Road, # Mill Lane, # Albion Street, # Church Road, # Victoria Park, # Canal Wharf',
    `London; England; EC2A #@@; Europe/London; +44 20 7946 0###
     Manchester; England; M# #@@; Europe/London; +44 161 496 0###
     Birmingham; England; B# #@@; Europe/London; +44 121 496 0###
     Leeds; England; LS# #@@; Europe/London; +44 113 496 0###
     Bristol; England; BS# #@@; Europe/London; +44 117 496 0###
     Newcastle upon Tyne; England; NE# #@@; Europe/London; +44 191 498 0###
     Edinburgh; Scotland; EH# #@@; Europe/London; +44 131 496 0###
     Glasgow; Scotland; G# #@@; Europe/London; +44 141 496 0###
     Cardiff; Wales; CF1# #@@; Europe/London; +44 29 2018 0###`,
  ),
  country(
    'US; en; en; USD; 1.1; 11;',
    'Inc., LLC, Corp.',
    '#00 Maple Avenue, #0 Main Street, #00 Harbor Boulevard, #5 Oak Street, #20 Lakeview Drive, #10 Market Street',
    `Boston; MA; 021##; America/New_York; +1 617 555 01##
     New York; NY; 100##; America/New_York; +1 212 555 01##
     Chicago; IL; 606##; America/Chicago; +1 312 555 01##
     Austin; TX; 787##; America/Chicago; +1 512 555 01##
     Denver; CO; 802##; America/Denver; +1 303 555 01##
     Phoenix; AZ; 850##; America/Phoenix; +1 602 555 01##
     Seattle; WA; 981##; America/Los_Angeles; +1 206 555 01##
     San Diego; CA; 921##; America/Los_Angeles; +1 619 555 01##`,
  ),
  country(
    'IE; en; en; EUR; 1; 4;',
    'Ltd, DAC',
    '# Quay Street, # Bridge Street, # Harbour Road, # Mill Road, # Castle Street',
    `Dublin; Leinster; D0# @#@#; Europe/Dublin; +353 20 91# ####
     Cork; Munster; T12 @#@#; Europe/Dublin; +353 20 91# ####
     Galway; Connacht; H91 @#@#; Europe/Dublin; +353 20 91# ####
     Limerick; Munster; V94 @#@#; Europe/Dublin; +353 20 91# ####`,
  ),
  country(
    'CA; en; en; CAD; 1.5; 3;',
    'Inc., Ltd.',
    '#0 King Street, #5 Granville Street, #0 Elgin Street, #0 Front Street',
    `Toronto; ON; M5V #A#; America/Toronto; +1 416 555 01##
     Ottawa; ON; K1P #B#; America/Toronto; +1 613 555 01##
     Vancouver; BC; V6B #C#; America/Vancouver; +1 604 555 01##
     Calgary; AB; T2P #E#; America/Edmonton; +1 403 555 01##`,
  ),
  country(
    'AU; en; en; AUD; 1.65; 2;',
    'Pty Ltd',
    '# George Street, # Collins Street, # Wharf Road, # Victoria Parade, # Riverside Drive',
    `Sydney; NSW; 200#; Australia/Sydney; +61 2 5550 ####
     Melbourne; VIC; 300#; Australia/Melbourne; +61 3 5550 ####
     Brisbane; QLD; 400#; Australia/Brisbane; +61 7 5550 ####
     Perth; WA; 600#; Australia/Perth; +61 8 5550 ####`,
  ),
  country(
    'DE; de; de; EUR; 1; 14; +49 171 39200##',
    'GmbH, AG, GmbH & Co. KG, KG',
    'Hauptstraße #, Bahnhofstraße #, Industrieweg #, Am Hafen #, Lindenallee #, Gewerbepark #, Königstraße #',
    `Berlin; Berlin; 101##; Europe/Berlin; +49 30 23125###
     Hamburg; Hamburg; 204##; Europe/Berlin; +49 40 66969###
     Köln; Nordrhein-Westfalen; 506##; Europe/Berlin; +49 221 4710###
     München; Bayern; 803##; Europe/Berlin; +49 89 99998###
     Frankfurt am Main; Hessen; 603##; Europe/Berlin; +49 69 90009###
     Leipzig; Sachsen; 041##; Europe/Berlin;
     Münster; Nordrhein-Westfalen; 481##; Europe/Berlin;
     Nürnberg; Bayern; 904##; Europe/Berlin;`,
  ),
  country(
    'AT; de; de; EUR; 1; 2;',
    'GmbH, AG, OG',
    'Ringstraße #, Mühlgasse #, Annenstraße #, Salzburger Straße #, Hafenstraße #',
    `Wien; Wien; 10#0; Europe/Vienna;
     Graz; Steiermark; 80##; Europe/Vienna;
     Linz; Oberösterreich; 40##; Europe/Vienna;
     Innsbruck; Tirol; 60##; Europe/Vienna;`,
  ),
  country(
    'CH; de; de; CHF; 0.95; 3;',
    'AG, GmbH',
    'Seestrasse #, Bahnhofstrasse #, Industriestrasse #, Mühlegasse #, Zürcherstrasse #',
    `Zürich; Zürich; 800#; Europe/Zurich;
     Basel; Basel-Stadt; 405#; Europe/Zurich;
     Bern; Bern; 301#; Europe/Zurich;
     Luzern; Luzern; 600#; Europe/Zurich;`,
  ),
  country(
    'FR; fr; fr; EUR; 1; 9; +33 6 39 98 ## ##',
    'SAS, SARL, SA',
    '# rue de la République, # avenue du Général Leclerc, # quai des Docks, # rue Pasteur, # boulevard Voltaire',
    `Paris; Île-de-France; 750##; Europe/Paris; +33 1 99 00 ## ##
     Nantes; Pays de la Loire; 4400#; Europe/Paris; +33 2 61 91 ## ##
     Rennes; Bretagne; 3500#; Europe/Paris; +33 2 61 91 ## ##
     Lille; Hauts-de-France; 5900#; Europe/Paris; +33 3 53 01 ## ##
     Lyon; Auvergne-Rhône-Alpes; 6900#; Europe/Paris; +33 4 65 71 ## ##
     Marseille; Provence-Alpes-Côte d'Azur; 1300#; Europe/Paris; +33 4 65 71 ## ##
     Bordeaux; Nouvelle-Aquitaine; 3300#; Europe/Paris; +33 5 36 49 ## ##`,
  ),
  country(
    'BE; nl; nl; EUR; 1; 2;',
    'NV, BV',
    'Stationsstraat #, Havenlaan #, Kerkstraat #, Nijverheidslaan #',
    `Antwerpen; Vlaanderen; 20#0; Europe/Brussels;
     Gent; Vlaanderen; 90#0; Europe/Brussels;
     Leuven; Vlaanderen; 300#; Europe/Brussels;`,
  ),
  country(
    'NL; nl; nl; EUR; 1; 5;',
    'B.V., N.V.',
    'Stationsplein #, Havenweg #, Kerkstraat #, Industrieweg #, Nieuwe Gracht #',
    `Amsterdam; Noord-Holland; 101# @@; Europe/Amsterdam;
     Rotterdam; Zuid-Holland; 301# @@; Europe/Amsterdam;
     Utrecht; Utrecht; 351# @@; Europe/Amsterdam;
     Eindhoven; Noord-Brabant; 561# @@; Europe/Amsterdam;
     Groningen; Groningen; 971# @@; Europe/Amsterdam;`,
  ),
  country(
    'SE; sv; sv; SEK; 11; 5; +46 70 174 06 ##',
    'AB',
    'Storgatan #, Hamngatan #, Järnvägsgatan #, Södra vägen #, Kungsgatan #',
    `Stockholm; Stockholms län; 111 ##; Europe/Stockholm; +46 8 465 004 ##
     Göteborg; Västra Götalands län; 411 ##; Europe/Stockholm; +46 31 390 06 ##
     Malmö; Skåne län; 211 ##; Europe/Stockholm; +46 40 628 04 ##
     Örebro; Örebro län; 702 ##; Europe/Stockholm;`,
  ),
  country(
    'NO; no; nb; NOK; 11.5; 4;',
    'AS, ASA',
    'Storgata #, Havnegata #, Sjøgata #, Industriveien #, Kirkegata #',
    `Oslo; Oslo; 01##; Europe/Oslo;
     Bergen; Vestland; 50##; Europe/Oslo;
     Trondheim; Trøndelag; 70##; Europe/Oslo;
     Tromsø; Troms; 900#; Europe/Oslo;`,
  ),
  country(
    'DK; da; da; DKK; 7.5; 4;',
    'A/S, ApS',
    'Vestergade #, Havnegade #, Nørregade #, Industrivej #, Østerbrogade #',
    `København; Hovedstaden; 21#0; Europe/Copenhagen;
     Aarhus; Midtjylland; 800#; Europe/Copenhagen;
     Odense; Syddanmark; 500#; Europe/Copenhagen;
     Aalborg; Nordjylland; 900#; Europe/Copenhagen;`,
  ),
  country(
    'FI; fi; fi; EUR; 1; 2;',
    'Oy, Oyj',
    'Satamakatu #, Hämeenkatu #, Asemakatu #, Teollisuustie #',
    `Helsinki; Uusimaa; 00##0; Europe/Helsinki;
     Tampere; Pirkanmaa; 33##0; Europe/Helsinki;
     Jyväskylä; Keski-Suomi; 40##0; Europe/Helsinki;`,
  ),
  country(
    'ES; es; es; EUR; 1; 5;',
    'S.L., S.A.',
    'Calle Mayor #, Avenida de la Constitución #, Paseo Marítimo #, Calle del Puerto #, Polígono Industrial Norte #',
    `Madrid; Madrid; 280##; Europe/Madrid;
     Barcelona; Cataluña; 080##; Europe/Madrid;
     València; Comunitat Valenciana; 460##; Europe/Madrid;
     Málaga; Andalucía; 290##; Europe/Madrid;
     Bilbao; País Vasco; 480##; Europe/Madrid;`,
  ),
  country(
    'MX; es; es; MXN; 20; 1;',
    'S.A. de C.V.',
    'Avenida Reforma #, Calle Hidalgo #, Avenida Juárez #',
    `Ciudad de México; CDMX; 06###; America/Mexico_City;
     Monterrey; Nuevo León; 64###; America/Monterrey;
     Mérida; Yucatán; 97###; America/Merida;`,
  ),
  country(
    'PT; pt; pt; EUR; 1; 3;',
    'Lda., S.A.',
    'Rua do Comércio #, Avenida da Liberdade #, Rua de São João #, Cais da Ribeira #',
    `Lisboa; Lisboa; 1100-###; Europe/Lisbon;
     Porto; Porto; 4050-###; Europe/Lisbon;
     Évora; Alentejo; 7000-###; Europe/Lisbon;`,
  ),
  country(
    'BR; pt; pt; BRL; 6; 1;',
    'Ltda., S.A.',
    'Rua das Flores #, Avenida Paulista #, Rua São Bento #',
    `São Paulo; SP; 010##-000; America/Sao_Paulo;
     Curitiba; PR; 800##-000; America/Sao_Paulo;
     Goiânia; GO; 740##-000; America/Sao_Paulo;`,
  ),
  country(
    'IT; it; it; EUR; 1; 5;',
    'S.r.l., S.p.A.',
    'Via Garibaldi #, Corso Italia #, Via del Porto #, Viale Europa #, Via San Niccolò #',
    `Milano; Lombardia; 201##; Europe/Rome;
     Torino; Piemonte; 101##; Europe/Rome;
     Bologna; Emilia-Romagna; 401##; Europe/Rome;
     Napoli; Campania; 801##; Europe/Rome;`,
  ),
  country(
    'PL; pl; pl; PLN; 4.3; 4;',
    'sp. z o.o., S.A.',
    'ul. Długa #, ul. Główna #, ul. Portowa #, al. Niepodległości #, ul. Świętojańska #',
    `Warszawa; Mazowieckie; 00-###; Europe/Warsaw;
     Kraków; Małopolskie; 30-###; Europe/Warsaw;
     Gdańsk; Pomorskie; 80-###; Europe/Warsaw;
     Łódź; Łódzkie; 90-###; Europe/Warsaw;`,
  ),
  country(
    'HU; hu; hu; HUF; 400; 1; +36 55 ### ###',
    'Kft., Zrt.',
    'Fő utca #, Kossuth Lajos utca #, Rákóczi út #',
    `Budapest; Budapest; 10##; Europe/Budapest; +36 55 ### ###
     Győr; Győr-Moson-Sopron; 902#; Europe/Budapest; +36 55 ### ###`,
  ),
  country(
    'JP; ja; ja; JPY; 165; 2;',
    'K.K., G.K.',
    '1-#-2 Honchō, 2-#-5 Minami, 3-#-1 Sakae',
    `Tokyo; Tōkyō; 100-00##; Asia/Tokyo;
     Osaka; Ōsaka; 530-00##; Asia/Tokyo;
     Nagoya; Aichi; 460-00##; Asia/Tokyo;`,
  ),
  country(
    'IN; in; en; INR; 92; 2;',
    'Pvt. Ltd., Ltd.',
    '# MG Road, # Station Road, # Ring Road',
    `Mumbai; Maharashtra; 4000##; Asia/Kolkata;
     Bengaluru; Karnataka; 5600##; Asia/Kolkata;
     Pune; Maharashtra; 4110##; Asia/Kolkata;`,
  ),
]
