// The words of postal addresses.

const START = '(?:^|[\\s(])'

/** What is within a street or a house, or stands for it: a second line. */
export const UNIT = new RegExp(
  `^(?:${[
    'flat|apt|apartment|suite|ste|unit|room|rm|floor|fl|level|lvl|studio|penthouse|basement|dept|department|bldg|building|block|tower|office',
    'apto|apartamento|apartado|piso|planta|puerta|pta|esc|escalera|bajo|[aá]tico|sala|bloco|bl|conjunto|cj|andar|sobreloja|fundos|loja',
    'c\\/o|z\\.? ?h(?:d|dn)|zu h[aä]nden|attn|attention|att|a\\/c|at\\.? ?t',
    'hinterhaus|vorderhaus|seitenfl[uü]gel|etage|stock|stockwerk|eg|[0-9]+\\.? ?og|og|whg|wohnung|top|t[uü]r|stiege|geb[aä]ude|haus|aufgang|eingang',
    'b[aâ]t|b[aâ]timent|immeuble|imm|[eé]tage|appt?|appartement|r[eé]sidence|r[eé]s|escalier|porte|lieu-dit|bp|b\\.p\\.|cs|tsa|bo[iî]te|bte|bus',
    'postfach|pf|p\\.? ?o\\.? ?box|post office box|po box|gpo box|locked bag|apdo|casella postale|c\\.p\\.|caixa postal|skr\\.? poczt|skrytka|postboks|postbus|box',
    'lok|lokal|m\\.|mieszk|mieszkanie|int|interno|scala|sc|palazzina|piano|lgh|kerros|rappu|sal|byt|poschod[ií]|et',
  ].join(
    '|',
  )})(?=$|[\\s.:#\\d])|^#\\s?\\d|^\\d+\\s?[ºª°]|^\\d+(?:st|nd|rd|th|er|[eè]me|e)\\s(?:floor|fl|[eé]tage|piso)|^\\d+\\.\\s?(?:og|stock|etage|stiege|p\\b)`,
  'iu',
)

/** A box of the post: the line of an address that has no street. */
export const BOX =
  /^(?:postfach|pf|p\.? ?o\.? ?box|post office box|gpo box|bp|b\.p\.|apartado|apdo|casella postale|caixa postal|postboks|postbus|box)(?=$|[\s.:#\d])/iu

/** Words of streets, also at the end of a longer word. */
export const STREET = new RegExp(
  [
    `(?:stra(?:ß|ss)e|str\\.?|weg|gasse|allee|platz|ring|damm|ufer|steig|chaussee|promenade|straat|laan|plein|gracht|kade|gatan|v[aä]gen|gade|vej|veien|gata|katu|tie|ulice|n[aá]m[eě]st[ií]|utca|trg)(?=$|[\\s,\\d])`,
    `\\s(?:st|street|rd|road|ave|avenue|av|blvd|boulevard|bd|ln|lane|dr|drive|ct|court|pl|place|sq|square|ter|terrace|way|hwy|highway|pkwy|parkway|cl|close|crescent|cres|gardens|gdns|grove|row|mews|hill|park|quay|wharf|walk|loop|trail|pike|alley|cir|circle|plaza|expressway|route|rte|broadway)(?=$|[\\s.,\\d])`,
    `${START}(?:rue|quai|chemin|impasse|all[eé]e|cours|place|route|via|viale|piazza|corso|largo|vicolo|calle|c\\/|avda|avenida|plaza|paseo|p[ºª]|carrera|cra|ctra|carretera|camino|travessa|rua|pra[cç]a|alameda|rodovia|estrada|ul|ulica|al|aleja|aleje|pl|plac|os|osiedle|str|strada|bulevardul|am|an der|an den|auf dem|auf der|im|in der|zum|zur|unter den|улица|ул|проспект|пр)(?=$|[\\s.])`,
  ].join('|'),
  'iu',
)

/** "Neustadt an der Weinstraße": what is behind these words is where a town lies. */
export const LIES_AT = /^(\p{Lu}\p{Ll}+)\s(?:am|an der|an den|auf dem|im|in der|ob der|vor der|on|upon|sur)\s/u

/** Between two things of which only one is meant. */
export const CHOICE = /(?:^|\s)(?:oder|or|ou|lub|eller|of|bzw\.?|и\/или|или)(?=\s|$)/iu

/** Small words inside of the names of towns. */
export const PARTICLE =
  /^(?:a|am|an|auf|aan|bei|b\.?|ob|der|den|dem|die|das|im|in|of|on|upon|by|the|de|del|della|di|do|da|dos|das|du|des|la|le|les|el|los|las|lo|en|sur|sous|et|y|e|i|und|and|nad|pod|na|ad|op|van|v\.?|les|lès|près|s\/)$/iu

/** What stands in front of a code, and says only that it is one. */
export const CODE_LABEL = /^(?:CEP|PLZ|C\.?P\.?|ZIP(?: code)?|post(?:al )?code|CAP)\s*:?\s+(?=\d)/iu

/** Counties of Britain and Ireland stand between the town and its code. */
export const COUNTY =
  /shire$|^(?:county |co\.? )\p{L}|^(?:kent|essex|surrey|devon|cornwall|norfolk|suffolk|cumbria|dorset|somerset|rutland|durham|tyne and wear|merseyside|greater manchester|greater london|middlesex|(?:east |west )?sussex|isle of \p{L}+|(?:west|north|south|east) (?:yorkshire|midlands|lothian|glamorgan)|west midlands|northumberland|gwent|dyfed|powys|fife|antrim)$/iu
