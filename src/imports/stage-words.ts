import { fold } from '../lib/pure/fold.ts'
import type { Outcome } from '../store/settings/fields.ts'

// What the name of a stage says about its deals. Other products have stages such as "Closed-Lost to Competition" or
// "Won 🎉" that end a deal, and many of them; a pipeline here has one stage for won and one for lost deals.

/** `unclear`: the deals of the stage are closed, or may be, and its name does not say how they ended. */
export type StageMeaning = Outcome | 'open' | 'unclear'

/** `rest`: what the name says besides, which mostly is the reason: `Lost - Price` → `Price`. */
export type StageName = { meaning: StageMeaning; rest: string }

const words = (text: string): string[] => text.split(', ').map(fold)

const OUTCOMES: Record<Outcome, readonly string[]> = {
  won: words(
    'won, closedwon, gewonnen, gagné, gagnée, gagnés, gagnées, ganado, ganada, ganados, ganadas, ganho, ganha, ganhos, ganhas, vinto, vinta, vinti, vinte, wygrana, wygrane, wygrany, vunnen, vunnet, vundet, voitettu, kazanıldı, выигран, выиграна, выиграно, 受注, 成約, 赢单, 贏單, 수주',
  ),
  lost: words(
    'lost, closedlost, verloren, perdu, perdue, perdus, perdues, perdido, perdida, perdidos, perdidas, perso, persa, persi, perse, przegrana, przegrane, przegrany, förlorad, förlorat, tapt, tabt, hävitty, kaybedildi, проигран, проиграна, проиграно, 失注, 输单, 丢单, 輸單, 실주',
  ),
}

/** Whole names. Bitrix24 and amoCRM end deals with these; Dynamics has lost those that were "Out-Sold". */
const NAMES: Record<Outcome, readonly string[]> = {
  won: words('win, успешно реализовано, сделка успешна, negocio fechado, 成交'),
  lost: words('loss, out sold, закрыто и не реализовано, сделка провалена'),
}

/** For a column with the state of a deal. */
const OPEN = words(
  'open, offen, ouvert, ouverte, abierto, abierta, aperto, aperta, aberto, aberta, otwarta, otwarte, öppen, åben, åpen, avoin, açık, открыта, in progress, in bearbeitung, laufend, en cours, en curso, in corso, em andamento, active, aktiv, actif, activo',
)

/** That a deal has ended, however it did. */
const CLOSED = words(
  'closed, abgeschlossen, abgeschlossene, geschlossen, fermé, fermée, fermés, fermées, clôturé, clôturée, clos, cerrado, cerrada, cerrados, cerradas, cierre, chiuso, chiusa, gesloten, afgesloten, fechado, fechada, fechados, zamknięte, zamknięta, stängd, avslutad, lukket, suljettu, kapalı, kapandı, закрыт, закрыта, закрыто',
)

/** Besides the words for closed: names of the end of a deal that leave open which one. */
const ENDS = words(
  'done, completed, complete, finished, finalized, cancelled, canceled, abandoned, rejected, declined, refused, accepted, signed, paid, sold, dead, junk, archived, success, successful, failed, failure, disqualified, unqualified, not interested, no decision, no interest, erledigt, fertig, beendet, storniert, abgebrochen, abgelehnt, abgesagt, absage, zusage, angenommen, unterschrieben, verkauft, gescheitert, kein interesse, archiviert, terminé, terminée, annulé, annulée, abandonné, abandonnée, refusé, refusée, rejeté, rejetée, accepté, acceptée, signé, signée, vendu, vendue, terminado, terminada, finalizado, finalizada, cancelado, cancelada, abandonado, abandonada, rechazado, rechazada, descartado, descartada, aceptado, aceptada, firmado, firmada, vendido, vendida, annullato, annullata, rifiutato, rifiutata, completato, completata, afgewezen, geannuleerd, afgerond, verkocht, concluido, concluida, recusado, recusada, zakończone, odrzucone, anulowane, avslutat, avsluttet, afsluttet, annulleret, завершено, отказ, отменено',
)

/** Words that say nothing about the end: `Deal won`, `Stage 7: Closed Won`, `Closed and won`. */
const FILLERS = new Set(
  words(
    'deal, deals, opportunity, opportunities, opp, sale, sales, business, project, order, stage, phase, step, status, the, as, and, auftrag, aufträge, angebot, projekt, geschäft, verkaufschance, stufe, und, als, affaire, affaires, vente, transaction, opportunité, étape, et, negocio, negocios, negociación, venta, ventas, oportunidad, oportunidade, trato, etapa, fase, y, e, en, o, offerta, trattativa, opportunità, kans, verkoop, сделка, сделки, и, szansa, i, affär, och, og',
  ),
)

/** Words behind an outcome with which its reason begins: `Lost to competition`. */
const BECAUSE = new Set(
  words(
    'to, by, due, because, against, for, from, no, wegen, an, gegen, durch, mangels, face, contre, pour, par, faute, cause, por, contra, ante, a, per, causa, contro, door, aan, wegens',
  ),
)

/** Signs that stand for a whole name, or beside one. */
const SIGNS = /[✅❌🏆🎉🥇👍👎✔✖☑]/u

/** Returns what the name of a stage says. `Demo`, `Proposal sent` and anything that is not known here are open. */
export function readStage(written: string): StageName {
  const name = written.replace(/ \([^()]*pipeline\)$/i, '') // HubSpot's `Closed Won (Sales Pipeline)`
  const parts = partsOf(name)
  const folded = parts.map(({ word }) => word)
  const whole = folded.join(' ')
  if (whole === '') return { meaning: SIGNS.test(name) ? 'unclear' : 'open', rest: '' }
  const named = (['won', 'lost'] as const).find((outcome) => NAMES[outcome].includes(whole))
  if (named) return { meaning: named, rest: '' }

  const at = folded.findIndex((word) => outcomeOf(word) !== undefined)
  if (at < 0) {
    const bare = folded.filter((word) => !isFiller(word)).join(' ')
    const isEnd = ENDS.includes(whole) || ENDS.includes(bare)
    return { meaning: isEnd || folded.some(isClosed) ? 'unclear' : 'open', rest: '' }
  }
  const outcome = outcomeOf(folded[at] as string) as Outcome
  const others = folded.toSpliced(at, 1)
  const isTwofold = others.some((word) => outcomeOf(word) !== undefined && outcomeOf(word) !== outcome)
  const before = folded.slice(0, at)
  const isPlain = before.every((word) => isFiller(word) || isClosed(word))
  const after = parts.slice(at + 1)
  const said = after.findIndex(({ word }) => !isFiller(word) && !isClosed(word))
  const isApart =
    said < 0 ||
    before.some(isClosed) ||
    folded[at] === `closed${outcome}` ||
    BECAUSE.has(after[said]?.word as string) ||
    after.slice(0, said + 1).some(({ isSeparate }) => isSeparate)
  if (isTwofold || !isPlain || !isApart || /[?？]/.test(name)) return { meaning: 'unclear', rest: '' }
  return { meaning: outcome, rest: said < 0 ? '' : name.slice(after[said]?.from).replace(/[\s)\]]+$/, '') }
}

/** Returns the state that a cell of a column for it names: `Won`, `Perdu`, `In progress`. */
export function readStatus(text: string): Outcome | 'open' | undefined {
  const { meaning } = readStage(text)
  if (meaning === 'won' || meaning === 'lost') return meaning
  return OPEN.includes(
    partsOf(text.replace(/ \([^()]*\)$/, ''))
      .map(({ word }) => word)
      .join(' '),
  )
    ? 'open'
    : undefined
}

const outcomeOf = (word: string): Outcome | undefined =>
  (['won', 'lost'] as const).find((outcome) => OUTCOMES[outcome].includes(word))

const isClosed = (word: string): boolean => CLOSED.includes(word)
const isFiller = (word: string): boolean => FILLERS.has(word) || /^\d+$/.test(word)

/** A word, where it begins, and whether more than white space is in front of it. */
type Part = { word: string; from: number; isSeparate: boolean }

/** Chinese and Japanese have no spaces between words. */
const ALONE = [...OUTCOMES.won, ...OUTCOMES.lost].filter((word) => /^\p{Script=Han}+$/u.test(word)).join('|')
const WORD = new RegExp(`${ALONE}|(?:(?!${ALONE})[\\p{L}\\p{M}\\p{N}])+`, 'gu')

function partsOf(name: string): Part[] {
  let end = 0
  return [...name.matchAll(WORD)].map(({ 0: text, index }) => {
    const isSeparate = /[^\s\p{Extended_Pictographic}\p{M}\u200d]/u.test(name.slice(end, index))
    end = index + text.length
    return { word: fold(text), from: index, isSeparate }
  })
}
