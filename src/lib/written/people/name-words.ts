// The words by which names are read. All are compared in lower case, without dots at the end.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** In front of a name. */
export const PREFIXES = words(`
  dr prof professor herrn dña freiherr freifrau gräfin mr mrs ms miss mx sir dame lord lady rev reverend fr herr frau hr fräulein mag mag.ª maga di dipl
  dipl.-ing dipl.-kfm dipl.-inf dr.-ing ing inż mgr lic iur med phil rer nat jur oec habil h.c dott dott.ssa sig sig.ra
  mme mlle madame monsieur mlle dhr mevr mw ir drs sr sra srta don doña pan pani mudr judr hrn the hon capt col`)
/** Prefixes that are words or first names elsewhere: only in front of another prefix. */
export const LEADING_ONLY = words('the')
/** In front of a name in French; elsewhere an initial. */
export const FRENCH_PREFIXES = words('m')

/** Behind a name, however they are written. */
export const SUFFIXES = words(`
  jr sr jnr snr jún júnior junior senior filho neto phd ph.d dphil m.d msc m.sc b.sc bsc mba m.b.a llm ll.m ll.b m.a b.a
  pmp cpa cfa esq d.d.s j.d ba.hons 様 さん 殿 先生 님 씨 先生 女士`)
/** Behind a name with a dot only: without it, they are names. */
export const DOTTED_SUFFIX = /^(?:jun|sen|iun)\.$/i
/** Written at the end of a name in scripts without spaces. */
export const HONORIFIC =
  /(?<=[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}])(?:様|さん|殿|先生|님|씨|女士|小姐|氏)$/u

/** Behind a name of at least two other words, in capitals as here: some are names as well, such as "Ma". */
export const CAPITAL_SUFFIXES = new Set(
  `II III IV V VI MD MA BA BSC MSC MBA PHD DO JD RN KBE DBE GBE CBE OBE MBE KCB DCB GCB KCMG DCMG CMG KCVO DCVO CVO LVO MVO
  DSO KC QC SC MP MEP MSP FRS FRCP FRCS MRCP DDS DMD DVM CPA CFA CFP PMP FCA ACA FCCA ACCA LLB LLM MSW EDD PSYD DBA`.split(
    /\s+/,
  ),
)

/** The surname begins here, unless it is the first or the last word. */
export const PARTICLES = words(`
  van von vom de der den del della delle dello dei degli di da dal do dos das du des la le las los zu zur zum ten ter te
  't ’t op bin bint ibn ben al el abu af av und st saint san santa freiherr freifrau graf gräfin baron mac`)
/** Two surnames are joined by them. */
export const JOINERS = words('y i')

/** Between two people. */
export const AND = /\s(?:und|and|&|\+|et)\s/iu
export const FAMILY =
  /^(?:familie|family|famille|familia|fam\.|eheleute|ehepaar|geschwister|the \S+s$)(?:\s|$)|\s(?:family|familie|and family|und familie)$/iu
/** For whom a letter is. */
export const FOR =
  /^(?:attn\.?|att\.|attention|z\.?\s?hd\.?(?: v(?:on|\.))?|zu händen(?: von)?|à l[’']attention de|c\/o|fao)\s*:?\s+/iu

/** A legal form: what has it is a company. */
export const LEGAL =
  /(?:^|[\s.])(?:gmbh|mbh|ag|kg|kgaa|ohg|gbr|ug|e\.?\s?k\.?|e\.?v\.?|se|ltd|limited|llc|llp|inc|corp|plc|co|company|s\.?a\.?|s\.?a\.?s\.?|s\.?a\.?r\.?l\.?|sarl|s\.?l\.?|s\.?r\.?l\.?|s\.?p\.?a\.?|b\.?v\.?|n\.?v\.?|oy|ab|a\/s|aps|sp\.\s?z\s?o\.\s?o|s\.r\.o|kft|pty|株式会社|有限公司)\.?(?=$|[\s,&)])/iu

/** The last word of what is no person: a company, or a desk of one, such as "Harbor Support". */
export const TRADE =
  /(?:^|\s)(?:consulting|holding|group|gruppe|solutions|services|software|technologies|agency|agentur|verlag|treuhand|versand|shop|team|support|info|office|sales|service|helpdesk|kundenservice|kundendienst|newsletter|no-?reply|noreply|billing|buchhaltung|admin|administrator|webmaster|postmaster|marketing|sekretariat|empfang|notifications?)$/iu

/** Of these words, those that are surnames as well: behind a first name. */
export const TRADE_SURNAME = /^(?:sales|billing)$/i

/** What somebody does, and no part of a name. */
export const JOB =
  /(?:^|\s)(?:ceo|cto|cfo|coo|cmo|cio|vp|geschäftsführer(?:in)?|leiter(?:in)?|inhaber(?:in)?|vorstand|prokurist(?:in)?|manager(?:in)?|director|head of|president|owner|founder|engineer|assistant|sales|support|vertrieb|einkauf|buchhaltung|marketing|gérant|directeur|directrice)(?:$|[\s,])/iu

/** In brackets behind a name: a birth name, pronouns, or a code of a department. */
export const REMARK = /^(?:geb|née|né|born|nata|z d)\b|^(?:he|she|they|er|sie|xe|ze|elle|il)\s?\/|[\d/]/iu

/** Surnames by which it is seen where the first names of a Spanish or Portuguese name end. */
export const IBERIAN_SURNAME =
  /(?:[eéáíoi]z|[eé]s|inho|eira|eiro)$|^(?:garcia|moreno|romero|navarro|gil|serrano|blanco|molina|ortega|delgado|castro|rubio|marin|iglesias|medina|castillo|garrido|santos|guerrero|lozano|cano|cruz|prieto|herrera|peña|leon|cabrera|gallego|calvo|vidal|vega|carrasco|aguilar|nieto|pascual|santana|herrero|hidalgo|montero|ferrer|duran|soto|silva|souza|sousa|costa|almeida|nascimento|lima|araujo|carvalho|rocha|barbosa|pinto|moura|cardoso|correia|machado|melo|ramos|reyes|rojas|mendoza|guzman|salazar|vargas|aguirre|contreras|acosta|figueroa|sosa|campos|rivera|torres|flores)$/iu
