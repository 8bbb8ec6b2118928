import { foldWhole } from '../../../lib/pure/fold.ts'

// What other products call the types, states and priorities of what somebody has done or has to do.

type TaskType = 'todo' | 'call' | 'email' | 'meeting'

const known = <Value extends string>(words: Record<Value, string>): ReadonlyMap<string, Value> =>
  new Map(
    (Object.entries(words) as [Value, string][]).flatMap(([value, all]) =>
      all.split(',').map((word): [string, Value] => [foldWhole(word.trim()), value]),
    ),
  )

const TYPES = known<TaskType | 'note'>({
  todo: 'todo, to do, to-do, to_do, task, tasks, aufgabe, tâche, tarea, compito, taak, tarefa, uppgift, zadanie, 任务, タスク',
  call: 'call, calls, phone call, phone, logged call, call attempt, inbound call, outbound call, anruf, telefonat, telefon, appel, llamada, chiamata, oproep, ligação, chamada, samtal, telefonszám, telefonieren, rozmowa, звонок, 电话, 電話',
  email:
    'email, e-mail, emails, mail, incoming email, incoming_email, forwarded email, forwarded_email, logged email, list email, listemail, courriel, correo, correo electrónico, posta, письмо, 邮件, メール',
  meeting:
    'meeting, meetings, event, appointment, lunch, demo, besprechung, termin, treffen, mittagessen, réunion, rendez-vous, déjeuner, reunión, almuerzo, riunione, pranzo, vergadering, reunião, almoço, möte, spotkanie, встреча, 会议, 会議',
  note: 'note, notes, notiz, nota, notitie, anteckning, notatka, заметка, 笔记, メモ',
})

/** Undefined for a type that has no equal here. */
export const typeOf = (text: string): TaskType | 'note' | undefined => TYPES.get(foldWhole(text.trim()))

type Status = 'open' | 'done' | 'canceled'

/** States that say no more than ours do; all others are kept as a detail as well. */
const PLAIN = known<Status>({
  open: 'open, to do, todo, not started, not_started, notstarted, planned, scheduled, pending, new, needs action, needs-action, offen, nicht begonnen, geplant, ouvert, à faire, non commencé, pendiente, no iniciada, abierto, aperto, da fare, att göra, otwarte, не начата',
  done: 'done, completed, complete, closed, finished, held, sent, erledigt, abgeschlossen, fertig, beendet, gesendet, terminé, terminée, achevé, fait, completado, completada, terminado, hecho, finalizada, fatto, completato, concluído, concluída, klar, zakończone, завершена, выполнена',
  canceled:
    'canceled, cancelled, deleted, abgebrochen, storniert, abgesagt, annulé, annulée, cancelado, cancelada, annullato, inställt, anulowane, отменена',
})

const OTHER = known<Status>({
  open: 'in progress, in_progress, inprogress, waiting, waiting on someone else, waiting for someone else, deferred, on hold, started, overdue, rescheduled, in bearbeitung, wartet, zurückgestellt, en cours, en attente, en curso, en progreso, aplazada',
  done: 'no show, no-show, no_show, connected, left voicemail, left live message, no answer, busy, wrong number, bounced, opened, clicked, delivered, received, logged, attended, nicht erschienen',
  canceled: 'failed, not held, skipped, declined, missed',
})

/** `isPlain`: the word has no more meaning than that. Undefined for a word that is not known. */
export function statusOf(text: string): { status: Status; isPlain: boolean } | undefined {
  const word = foldWhole(text.trim())
  const plain = PLAIN.get(word)
  const status = plain ?? OTHER.get(word)
  return status && { status, isPlain: plain !== undefined }
}

const PRIORITIES = known<'low' | 'normal' | 'high'>({
  low: 'low, lowest, minor, niedrig, gering, faible, basse, bajo, baja, basso, bassa, laag, baixa, låg, niski, низкий',
  normal:
    'normal, medium, mid, none, standard, mittel, moyen, moyenne, normale, medio, media, gemiddeld, média, средний',
  high: 'high, highest, urgent, critical, hoch, dringend, sehr hoch, élevé, élevée, haute, urgente, alto, alta, hoog, hög, wysoki, высокий',
})

export const priorityOf = (text: string) => PRIORITIES.get(foldWhole(text.trim()))
