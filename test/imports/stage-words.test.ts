import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStage, readStatus } from '../../src/imports/stage-words.ts'

const MEANT = {
  won: [
    'Won',
    'WON!',
    '🏆 won',
    'Closed Won',
    'closed-won',
    'closedwon',
    'Closed Won (Enterprise pipeline)',
    'Closed Won - Expansion',
    '7. Deal won',
    'Stage 9: Won',
    'Won (renewal)',
    'Gewonnen ✅',
    'Abgeschlossen und gewonnen',
    'Geschlossen / gewonnen',
    'Auftrag gewonnen',
    'Gagné',
    'Gagnée – signature',
    'Fermée et gagnée',
    'Affaire gagnée',
    'Ganado',
    'Cerrada/Ganada',
    'Negocio ganado',
    'Negócio ganho',
    'Chiusa e vinta',
    'Gesloten: gewonnen',
    'Wygrana',
    'Kazanıldı',
    'Успешно реализовано',
    '受注',
    '成約（新規）',
    '赢单',
  ],
  lost: [
    'lost',
    'Closed/Lost',
    'closed_lost',
    'Closed Lost Nurture',
    'Closed-Lost (Out of business)',
    'Lost: timing',
    'Lost to incumbent',
    'Lost – no reply 😕',
    'Deal lost - budget',
    'Lost opportunity',
    '❌ Lost',
    'Verloren',
    'Verloren an Mitbewerber',
    'Abgeschlossen und verloren',
    'Perdu',
    'Perdue : prix',
    'Perdu faute de réponse',
    'Perdido',
    'Cerrada perdida',
    'Perdida por precio',
    'Chiusa e persa',
    'Förlorad',
    'Закрыто и не реализовано',
    '失注 (価格)',
    'Out-Sold',
  ],
  open: [
    'Lead',
    'Demo completed',
    'Proposal accepted',
    'Contract signed',
    'Contract Sent',
    'Closing',
    'Ready to close',
    'Verhandlung',
    'Win-back',
    'Lostwithiel office',
    'Wonder Ltd',
    'In progress',
    'Éxito',
    '商談中',
  ],
  unclear: [
    'Closed',
    'Deal closed',
    'Closed - handover',
    'Abgeschlossen',
    'Fermée',
    'Cerrado',
    'Done',
    'Erledigt',
    'Cancelled',
    'Angebot abgelehnt',
    'Won/Lost',
    'Lost contact',
    'Almost won',
    'Not won',
    'Nicht verloren',
    'Lost, then won back',
    'Won?',
    '✅',
  ],
}

for (const [meaning, names] of Object.entries(MEANT)) {
  test(`these stages are ${meaning}`, () => {
    const others = names.map((name) => [name, readStage(name).meaning]).filter(([, found]) => found !== meaning)
    assert.deepEqual(others, [])
  })
}

test('what stands behind the outcome is the reason', () => {
  const rests = ['Lost – too late', 'Lost (Price)', 'Closed-Lost to a rival', 'Closed Lost', 'Closed Won (EU Pipeline)']
  assert.deepEqual(
    rests.map((name) => readStage(name).rest),
    ['too late', 'Price', 'to a rival', '', ''],
  )
})

test('a state is open, won or lost, in several languages', () => {
  const states = ['Offen', 'In Bearbeitung', 'en cours', 'ABIERTA', 'Active', 'Won', 'closed lost', 'Closed', 'Demo']
  assert.deepEqual(states.map(readStatus), [
    'open',
    'open',
    'open',
    'open',
    'open',
    'won',
    'lost',
    undefined,
    undefined,
  ])
})
