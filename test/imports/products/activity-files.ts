import type { ActivityObject } from '../../../src/imports/writable.ts'
import { csv, type MadeRow, type ProductFile } from './mess.ts'

// Files of what people did, about the contacts of the files of a product.

type Made = { name: string; object: ActivityObject; cells: (id: string, index: number) => Record<string, string> }

const FILES: Record<string, { idOf: string; made: Made[] }> = {
  hubspot: {
    idOf: 'Record ID',
    made: [
      {
        name: 'hubspot-notes.csv',
        object: 'note',
        cells: (id, index) => ({
          'Record ID': `${index}`,
          'Note body': `<p>Note ${index}</p>`,
          'Activity date': '2024-05-31 14:05',
          'Associated Contact IDs': id,
        }),
      },
      {
        name: 'hubspot-tasks.csv',
        object: 'task',
        cells: (id, index) => ({
          'Record ID': `1${index}`,
          'Task Title': `Task ${index}`,
          'Task Status': 'Not started',
          'Due date': '2024-05-31 14:05',
          'Assigned to': index % 2 ? 'Carla Gómez' : '',
          'Associated Contact IDs': id,
        }),
      },
      {
        name: 'hubspot-calls.csv',
        object: 'task',
        cells: (id, index) => ({
          'Record ID': `2${index}`,
          'Call Title': `Call ${index}`,
          'Call notes': '',
          'Activity date': '2024-05-31 14:05',
          'Associated Contact IDs': id,
        }),
      },
    ],
  },
  pipedrive: {
    idOf: 'Person - ID',
    made: [
      {
        name: 'pipedrive-activities.csv',
        object: 'task',
        cells: (id, index) => ({
          'Activity - Subject': `Activity ${index}`,
          'Activity - Type': 'Lunch',
          'Activity - Due date': '2024-05-31',
          'Activity - Done': 'Done',
          'Activity - Contact person ID': id,
          'Activity - ID': `${index}`,
        }),
      },
      {
        name: 'pipedrive-notes.csv',
        object: 'note',
        cells: (id, index) => ({ ID: `${index}`, Content: `<p>Note ${index}</p>`, 'Person ID': id, 'Deal ID': '' }),
      },
    ],
  },
  salesforce: {
    idOf: 'Contact ID',
    made: [
      {
        name: 'Task.csv',
        object: 'task',
        cells: (WhoId, index) => ({
          Id: `00T${index}`,
          WhoId,
          WhatId: '',
          Subject: `Call ${index}`,
          Status: 'Completed',
        }),
      },
      {
        name: 'Event.csv',
        object: 'task',
        cells: (WhoId, index) => ({
          Id: `00U${index}`,
          WhoId,
          Subject: `Visit ${index}`,
          StartDateTime: '2024-05-31T14:05:00.000Z',
        }),
      },
      {
        name: 'Note.csv',
        object: 'note',
        cells: (ParentId, index) => ({
          Id: `002${index}`,
          ParentId,
          Title: `Note ${index}`,
          IsPrivate: '0',
          Body: 'Text',
        }),
      },
    ],
  },
}

export function activityFiles(product: string, records: readonly ProductFile[]): ProductFile[] {
  const { idOf = '', made = [] } = FILES[product] ?? {}
  const contacts = records.filter(({ object }) => object === 'contact').flatMap(({ rows }) => rows)
  const ids = contacts.filter(({ isUsable }) => isUsable).map(({ cells }) => cells[idOf] as string)
  return made.map(({ name, object, cells }) => {
    const rows = ids.slice(0, 20).map((id, index): MadeRow => ({ cells: cells(id, index), bad: [], isUsable: true }))
    return { name, object, rows, text: csv(Object.keys(rows[0]?.cells ?? {}).join(','), rows) }
  })
}
