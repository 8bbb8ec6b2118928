// What the organisation sends to many: mailboxes that send to the fuzzer's own server for mail, and sequences in all
// statuses, whose steps come so soon that they run while it is fuzzed.

const stop_on = ['reply', 'meeting_booked', 'deal_closed', 'unsubscribe', 'bounce']
const GREETING = 'Dear {{contact.first_name}} {{contact.last_name}},\r\n\r\n'

const email = (delay_s: number, subject: string | null, body: string) => ({
  type: 'email',
  delay_s,
  ...(subject === null ? {} : { subject }),
  body: `${GREETING}${body}`,
})
const task = (type: 'task' | 'call', delay_s: number, task_title: string) => ({ type, delay_s, task_title })

/** Sections of a settings document; `isLater` is what they change to in the middle of a run. */
export const outreach = (isLater: boolean, port: number, member: string) => {
  const smtp = { host: '127.0.0.1', port, tls: 'none' }
  const domain = member.slice(member.indexOf('@') + 1)
  const mailbox = (key: string, more: object = {}) => ({ key, name: key, address: `${key}@${domain}`, smtp, ...more })
  return {
    mailboxes: [
      mailbox('support', { is_default: true, name: 'Support "Süd", <all>' }),
      mailbox('own', { member }),
      mailbox('spaced', { spacing_s: 1, has_reply_tags: true }),
      mailbox('few', { daily_limit: isLater ? 30 : 15 }),
      ...(isLater ? [] : [mailbox('gone')]),
    ],
    sequences: [
      {
        key: 'quick',
        name: 'Quick',
        status: 'active',
        stop_on,
        hours: 'always',
        steps: [
          email(0, 'Hello {{contact.first_name}} of {{company.name}}', 'about {{deal.title}}.\r\n{{unsubscribe_url}}'),
          task('task', 0, '{{contact.job_title}}'),
          email(1, null, isLater ? 'another word.' : '{{sender.first_name}}, {{org.name}}'),
          ...(isLater ? [task('call', 0, 'Call {{contact.phone}} about {{deal.amount}} {{deal.currency}}')] : []),
          email(2, 'At last', '{{contact.email}} {{contact.website}} {{sender.email}}'),
        ],
      },
      {
        key: 'slow',
        name: 'Slow',
        status: isLater ? 'paused' : 'active',
        stop_on: ['reply', 'bounce'],
        mailbox: 'own',
        steps: [email(0, 'One', 'one.'), task('task', 2, 'Two'), email(3, null, 'three.'), task('call', 3600, 'Four')],
      },
      {
        key: 'calls',
        name: 'Calls',
        status: isLater ? 'archived' : 'active',
        stop_on: [],
        steps: [task('call', 0, 'Call'), task('task', 1, 'Write'), task('call', 86_400, 'Call again')],
      },
      {
        key: 'paced',
        name: 'Paced',
        status: 'active',
        stop_on: ['unsubscribe'],
        mailbox: 'spaced',
        steps: [email(0, 'First', 'first.'), { ...email(86_400, 'Second', 'second.'), business_days_only: true }],
      },
      {
        key: 'few',
        name: 'A few a day',
        status: 'active',
        stop_on: ['reply', 'unsubscribe'],
        mailbox: isLater ? 'few' : 'gone',
        steps: [email(0, 'Few', 'of few.'), email(0, 'Fewer', 'of fewer.'), task('task', 0, 'Done')],
      },
      {
        key: 'waiting',
        name: 'Waiting',
        status: isLater ? 'active' : 'paused',
        stop_on: ['meeting_booked', 'deal_closed'],
        steps: [task('task', 0, 'Wait'), task('task', 5, 'Wait on')],
      },
      { key: 'draft', name: 'Draft', status: 'draft', steps: [] },
      { key: 'archived', name: 'Given up', status: 'archived', steps: [task('call', 0, 'Call')] },
    ],
  }
}
