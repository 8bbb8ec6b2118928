import type { ActivityObject } from '../../writable.ts'

// Column names of notes, tasks, calls, meetings and emails in the files of HubSpot, Pipedrive, Salesforce and others: see
// ../headers.ts. "Activity", "Task", "Call" and the like in front are left out, so that "Activity - Subject" is "subject".

const links = {
  contact_ids:
    'contact, contacts, contact name, contact names, contact email, contact emails, contact person, person, person name, people, associated contact, associated contacts, associated contact emails, kontakt, kontakte, kontaktperson, ansprechpartner, contacto, contactos, persona, personne, contatto, email, emails, email address, email adresse, customer, client, kunde | lead, lead name',
  company_ids:
    'company, companies, company name, company names, organization, organization name, organisation, organisation name, account, account name, company account, associated company, associated companies, primary associated company, firma, unternehmen, empresa, entreprise, societe, azienda',
  deal_ids:
    'deal, deals, deal name, deal title, opportunity, opportunities, opportunity name, associated deal, associated deals, geschaft, deal titel, negocio, transaction, affaire, trato',
  contact_external_ids:
    'contact id, contact ids, person id, contact person id, associated contact id, associated contact ids, kontakt id, persona id',
  company_external_ids:
    'company id, company ids, organization id, organisation id, account id, associated company id, associated company ids, firma id',
  deal_external_ids: 'deal id, deal ids, opportunity id, associated deal id, associated deal ids',
  /** Of what kind the record is, is not said. */
  record_names: 'parent, parent name, related to, related to name, regarding, what, who, record, record name',
  record_external_ids:
    'who id, what id, parent id, linked entity id, first publish location id, related to id, related record id',
}

const ids = 'record id, id, external id, object id, hs object id'

const owner =
  'owner, owner name, owner email, user, user name, assigned to, assigned to user, assigned to name, assigned user, assigned user name, assigned, assignee, hubspot owner, record owner, responsible, responsible person, organizer, sales rep, zustandig, zugewiesen an, inhaber, besitzer, bearbeiter, verantwortlich, verantwortlicher, proprietaire, responsable, assigne a, asignado a, propietario'

const TITLES =
  'subject, title, summary, headline, betreff, titel, objet, titre, sujet, asunto, titulo, oggetto, titolo, onderwerp, assunto, temat, amne, emne'

const BODIES =
  'body, body preview, text, content, note, notes, comments, comment, full comments, description, full description, public description, details, message, html body, text body, internal notes, internal meeting notes, remarks, notiz, notizen, inhalt, beschreibung, bemerkung, bemerkungen, kommentar, contenu, commentaire, commentaires, notas, nota, comentarios, contenido, descripcion'

const DETAILS =
  'duration, duration minutes, duration in minutes, duration in seconds, duration hh mm ss, duration mins, call duration, call duration in seconds, call duration in minutes, call duration hh mm ss, outcome, call outcome, call result, call object identifier, result, disposition, call disposition, call type, direction, call direction, call direction type, email direction, location, meeting location, location details, end, ends at, end date, end time, end date time, meeting end time, from, to, cc, bcc, sender, recipients, email from, email to, email cc, email bcc, from address, to address, from email, to email, from number, to number, phone number, recording url, call recording, video call link, join url, conference url, conference meeting url, participants, attendees, guests, attachments, reminder, reminder date time, alarm time, date end, start date, date start, lead title, project, project title, queue, dauer, ort, ergebnis, duree, lieu, duracion, lugar, ubicacion'

export const ACTIVITY_HEADERS: Readonly<Record<ActivityObject, Record<string, string>>> = {
  note: {
    external_id: `${ids}, note id, engagement id, activity id`,
    title: `note title, ${TITLES}`,
    body: `note body, note content, note text, ${BODIES}`,
    written_at:
      'activity date, note date, date, timestamp, time, written at, add time, created at, created date, create date, created, created on, date created, object create date time, creation date, added at, added on, date added, datum, erstellt, erstellt am, erstellungsdatum, fecha, fecha de creacion, date de creation, cree le',
    author: `author, author name, author email, created by, created by user, creator, added by, written by, erstellt von, autor, auteur | ${owner}`,
    is_pinned: 'pinned, is pinned, pinned to deal, pinned to person, pinned to organization, angeheftet',
    ...links,
    contact_ids: `${links.contact_ids}, name`,
    details: `type, note type, activity type, kind, ${DETAILS}`,
  },
  task: {
    external_id: `${ids}, activity id, task id, engagement id, event id, call id, meeting id, email id`,
    title: `task title, task name, meeting name, event name, ${TITLES} | name, task, activity, event, meeting, call, aufgabe, aktivitat, tache, tarea`,
    body: BODIES,
    details: DETAILS,
    type: 'type, task type, activity type, engagement type, task subtype, subtype, event subtype, activity, kind, typ, art, tipo, type d activite, tipo de actividad',
    status: 'status, task status, activity status, state, meeting outcome, stato, statut, zustand, estado',
    is_done:
      'done, is done, completed, is completed, complete, is closed, closed, finished, marked as done, erledigt, abgeschlossen, fait, termine, hecho, completada, completado, concluido, concluida, fatto',
    priority: 'priority, prioritat, dringlichkeit, priorite, prioridad, priorita, prioriteit',
    due_at:
      'due date, date due, due at, due, due on, due date time, due date only, deadline, activity date time, fallig, fallig am, falligkeit, falligkeitsdatum, faellig am, faelligkeitsdatum, echeance, date d echeance, fecha de vencimiento, vencimiento, scadenza | start, starts at, start date, date start, start time, start date time, meeting start time, call start time, send date, beginn | activity date, call date, email date, meeting date, date, date time, timestamp, time stamp, occurred at, datum, fecha, data | created at, create date, created date, date created',
    due_time: 'due time, time, uhrzeit, heure, hora, hora de vencimiento',
    completed_at:
      'completed at, completed date, completed date time, completed on, completion date, date completed, done at, done time, marked as done time, mark as done time, closed at, erledigt am, abgeschlossen am, termine le, fecha de finalizacion, completado el',
    owner_id: owner,
    ...links,
  },
}

export const ACTIVITY_PREFIX: Readonly<Record<ActivityObject, RegExp>> = {
  note: /^(?:note|activity|engagement|notiz) /,
  task: /^(?:task|activity|call|meeting|email|event|engagement|aufgabe|aktivitat|actividad|activite) /,
}
