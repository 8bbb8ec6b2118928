export const en = { you: 'You', organisation: 'Organisation', mail: 'Mail and SLA', machine: 'Machine' }
