// The words by which an absence and a return are read, without accents and in lower case: as parts of regular expressions.

/** January is the first. With the usual abbreviations of English, German, French, Spanish, Italian and Dutch. */
export const MONTHS = [
  'january|januari|januar|janner|janvier|enero|gennaio|janv|jan|ene|gen',
  'february|februari|februar|feber|fevrier|febrero|febbraio|fevr|fev|feb',
  'march|marzo|maerz|marz|mars|maart|mrz|mrt|mar',
  'april|avril|abril|aprile|apr|avr|abr',
  'may|mayo|maggio|mai|mei|mag',
  'june|juni|juin|junio|giugno|jun|giu',
  'july|juli|juillet|julio|luglio|juil|jul|lug',
  'august|augustus|aout|agosto|aug|ago',
  'september|septembre|septiembre|setiembre|settembre|sept|sep',
  'october|oktober|octobre|octubre|ottobre|oct|okt|ott',
  'november|novembre|noviembre|nov',
  'december|dezember|decembre|diciembre|dicembre|dec|dez|dic',
] as const

/** Monday is the first. */
export const WEEKDAYS = [
  'monday|montag|lundi|lunes|lunedi|maandag',
  'tuesday|dienstag|mardi|martes|martedi|dinsdag',
  'wednesday|mittwoch|mercredi|miercoles|mercoledi|woensdag',
  'thursday|donnerstag|jeudi|jueves|giovedi|donderdag',
  'friday|freitag|vendredi|viernes|venerdi|vrijdag',
  'saturday|samstag|sonnabend|samedi|sabado|sabato|zaterdag',
  'sunday|sonntag|dimanche|domingo|domenica|zondag',
] as const

/** As they are abbreviated in front of a date. */
export const SHORT_WEEKDAYS = [
  'mon|mo|lun|ma',
  'tue|tues|di|mar',
  'wed|mi|mer|wo',
  'thu|thur|thurs|do|jeu|gio',
  'fri|fr|ven|vie|vr',
  'sat|sa|sam|sab|za',
  'sun|so|dim|dom|zo',
] as const

export const NEXT_WEEK =
  'next week|(?:nachste|kommende)r? woche|la semaine prochaine|la (?:proxima semana|semana que viene)|la (?:prossima settimana|settimana prossima)|(?:volgende|komende) week'
export const TOMORROW = 'tomorrow|morgen|demain|manana|domani'

/** Said of each week, so that no day is meant. */
export const EACH = 'every|each|jeden|jede|chaque|tous les|cada|todos los|ogni|elke|iedere'

/** Somebody returns to a conversation, or something is returned: not a return to work. */
export const NOT_A_RETURN =
  /\b(?:get|getting|come|coming|write|call|report|be right|circle) back(?: to)?\b(?! (?:to (?:the|my|our) (?:office|work|desk)|from|in|at))|\breturn(?:ing)? (?:it|them|your|the|this|a|an|any|his|her|their|all|to you|calls?|mails?|e-?mails?|messages?|goods|items?|polic\w+|shipments?|flights?|labels?)\b|\bmeld\w*[^⟦.]{0,50}\bzuruck\b|\brevien\w+ vers\b|\bretour vers\b|\b(?:tornero|torno|ritorno) (?:da|su)\b|\bterug (?:bij (?:u|je)|op (?:uw|je))\b/g

export type ReturnWords = {
  /** What says that somebody is there again; the day follows. */
  back: string
  /** What stands in front of the day from which somebody is there, and what says so after it. */
  from: string
  again: string
  /** The day follows on which an absence ends. */
  until: string
  /** What says that it is an absence that ends. */
  absent: string
  /** In place of a return, these say that it is none. */
  not: string
  /** The return is later than the day: "after the 12th". */
  after: string
}

export const RETURN_WORDS: Record<string, ReturnWords> = {
  en: {
    back: 'back|return(?:s|ing)?|available again|reachable again|in (?:the )?office again|at work again|resum(?:e|ing)|reopen(?:s|ing)?|(?:available|reachable|online|in the office) (?:again )?(?:from|as of|starting)',
    from: 'on|from|as of|starting|by',
    again: 'back|return(?:ing)?|again|available|reachable',
    until: 'until|till|til|through|thru|up to|ending(?: on)?',
    absent:
      "out of (?:the )?office|\\booo\\b|\\bout\\b|\\baway\\b|absen(?:t|ce)|vacation|holidays?\\b|\\bleave\\b|\\bnot\\b|n't\\b|unavailable|unable|closed|travel|offline|\\bsick\\b|\\bpto\\b|limited|without access|sabbatical",
    not: 'not|never|closed|unavailable|away',
    after: 'after',
  },
  de: {
    back: 'zuruck|zuruckkehren?|zuruckkomme|wieder|ruckkehr',
    from: '(?:ab|am|von)(?: dem| den)?',
    again: 'wieder|zuruck|erreichbar|im buro|fur sie da|zur verfugung|verfugbar',
    until: 'bis',
    absent:
      'abwesen|\\bnicht\\b|urlaub|ferien|krank|ausser haus|ausserhalb|geschlossen|elternzeit|mutterschutz|unterwegs|dienstreise|\\bkein(?:en)?\\b|eingeschrankt|betriebsruhe|betriebsferien|\\bweg\\b',
    not: 'nicht|keine?n?|kaum|nur|unter|urlaub|abwesend',
    after: 'nach(?: dem)?',
  },
  fr: {
    back: 'de retour|mon retour|notre retour|retour (?:prevu|au bureau|le)|reprise|rentre(?:rai|rons)?|reviens|reviendr(?:ai|ons)|reprend(?:rai|rons|s)|rouvr\\w+|reouverture|(?:a|de) nouveau (?:disponible|joignable|presente?s?)|(?:disponible|joignable) (?:a|de) nouveau',
    from: 'le|a partir du|des le|a compter du',
    again: 'de retour|a nouveau|de nouveau',
    until: "jusqu[' ]?(?:au|a|en)",
    absent:
      'absen|conges?\\b|vacances|\\bpas\\b|indisponible|fermee?s?\\b|fermeture|deplacement|hors du bureau|injoignable|arret maladie',
    not: 'pas|plus|absente?|ferme',
    after: 'apres(?: le)?',
  },
  es: {
    back: 'de vuelta|de regreso|regres(?:o|are|amos|aremos)|vuelvo|volvere(?:mos)?|volvemos|reincorpor\\w+|retorno|mi vuelta|retom(?:o|are)|reabr\\w+|disponible (?:de nuevo|nuevamente)|de nuevo (?:disponible|en la oficina)',
    from: 'el|a partir del|desde el',
    again: 'de vuelta|de regreso|de nuevo|nuevamente|otra vez',
    until: 'hasta',
    absent:
      '\\bfuera\\b|ausen(?:te|cia)|vacaciones|\\bno (?:estare|estoy|estaremos|podre|podremos|tendre)|de baja|permiso|cerrad[oa]s?|de viaje|licencia',
    not: 'no|fuera|ausente',
    after: 'despues del?|tras el',
  },
  it: {
    back: 'di ritorno|(?:mio|nostro) (?:rientro|ritorno)|rientr(?:o|ero|eremo)|torner(?:o|emo)|torno|(?:di nuovo|nuovamente) (?:disponibil[ei]|in ufficio|operativ[oiae]|raggiungibil[ei])|riprender\\w+|riapr\\w+',
    from: 'il|dal|a partire dal|da',
    again: 'di nuovo|nuovamente|di ritorno|rientr\\w+|torn\\w+',
    until: "(?:fino|sino) (?:all'|al|a)",
    absent:
      '\\bfuori\\b|assen(?:te|za)|\\bferie\\b|vacanz|\\bnon (?:saro|sono|saremo|potro|avro|ci saro)|chius[oiae]|chiusura|malattia|congedo|maternita|in viaggio',
    not: 'non|assente|fuori|chiusi',
    after: 'dopo il',
  },
  nl: {
    back: 'terug|weer|terugkeer|terugkomst|heropen\\w*',
    from: '(?:op|vanaf|met ingang van|per)',
    again: 'weer|terug|bereikbaar|aanwezig',
    until: 'tot(?: en met)?|t/m|t\\.e\\.m\\.?',
    absent: 'afwezig|\\bniet\\b|vakantie|verlof|gesloten|buiten kantoor|\\bziek|onderweg|op reis|\\bgeen\\b|beperkt',
    not: 'niet|geen|afwezig|gesloten',
    after: 'na',
  },
}

/** The day is one of the absence. */
export const INCLUSIVE =
  /\bthrough\b|\bthru\b|includ|inclus|\bincl\b|\binkl|einschl|en met|und mit|t\/m|t\.e\.m|compres|inbegrepen/
