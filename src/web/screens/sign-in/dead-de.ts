import type { Like } from '../../lib/texts/like.ts'
import type { en } from './dead-en.ts'

export const de: Like<typeof en> = {
  used: 'Dieser Link wurde schon benutzt',
  usedBody:
    'Ein Link gilt einmal. Warst du es, melde dich mit deinem Passwort an. Wenn nicht, sag der Person Bescheid, die ihn geschickt hat: Sie kann einen neuen schicken und beenden, was mit diesem geöffnet wurde.',
  expired: 'Dieser Link ist abgelaufen',
  expiredBody:
    'Links gelten nur eine Zeit lang. Bitte die Person, die ihn geschickt hat, um einen neuen; mehr ist nicht nötig.',
  withdrawn: 'Dieser Link wurde zurückgezogen',
  withdrawnBody: 'Wer ihn geschickt hat, hat ihn zurückgenommen oder darf nicht mehr einladen. Bitte um einen neuen.',
  unknown: 'Dieser Link ist hier nicht bekannt',
  unknownBody:
    'Vielleicht wurde er zurückgezogen oder unterwegs abgeschnitten. Öffne ihn genau so, wie er geschickt wurde, oder bitte um einen neuen.',
  another: {
    setup: 'Auf dem Server gibt „dealbox serve“ einen neuen Einrichtungslink aus, solange es keinen Eigentümer gibt.',
    invite: 'Eine neue Einladung macht ein Eigentümer oder Admin unter Einstellungen, Mitglieder.',
    sign_in: 'Auf dem Server gibt „dealbox member reset“ einen neuen Anmeldelink aus.',
  },
  toSignIn: 'Zur Anmeldung',
}
