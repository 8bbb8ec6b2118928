import type { SequenceSettings } from '../../sequences/sequences/settings.ts'

// The team's sequences, and the replies of contacts.

const DAY_S = 86_400

type Texts = Omit<SequenceSettings, 'status' | 'hours'>

const GREETING = 'Hello {{contact.first_name}},'
const SIGNATURE = '{{sender.name}}\n{{sender.email}}'
const COMPANY = '{{#company.name}}{{company.name}}{{/company.name}}{{^company.name}}your team{{/company.name}}'

const letter = (...paragraphs: string[]): string => [GREETING, ...paragraphs, SIGNATURE].join('\n\n')

export const NEW_LEADS: Texts = {
  key: 'new_leads',
  name: 'New leads',
  description: 'For whoever has asked about us and has not talked with anybody yet.',
  steps: [
    {
      type: 'email',
      delay_s: 900,
      subject: `Your question about planning at ${COMPANY}`,
      body: letter(
        `thank you for your interest. Most firms come to us because their plan lives in a spreadsheet that only one person understands. Is it like that at ${COMPANY}, too?`,
        'If you tell me in two lines how you plan today, I can tell you what others in your place have done first.',
      ),
    },
    {
      type: 'email',
      delay_s: 3 * DAY_S,
      business_days_only: true,
      body: letter(
        'my last mail may have come at a bad time. In one sentence: teams like yours save about half a day a week, and they know after two weeks whether that is true for them.',
        'Would a short call help more than another mail?',
      ),
    },
    {
      type: 'call',
      delay_s: 6 * DAY_S,
      business_days_only: true,
      task_title: 'Call {{contact.name}}{{#company.name}} of {{company.name}}{{/company.name}}',
      body: 'Two mails without an answer. Ask how they plan today{{#contact.phone}}: {{contact.phone}}{{/contact.phone}}.',
    },
  ],
}

export const AFTER_DEMO: Texts = {
  key: 'after_demo',
  name: 'After the demo',
  description: 'So that nobody who has seen a demo is forgotten.',
  steps: [
    {
      type: 'email',
      delay_s: 7200,
      subject: 'What you saw{{#deal.title}}: {{deal.title}}{{/deal.title}}',
      body: letter(
        `it was good to see what you do at ${COMPANY}. The trial is open for everyone who was there; you find your own example data in it.`,
        'Which question did we leave open?',
      ),
    },
    {
      type: 'email',
      delay_s: 4 * DAY_S,
      business_days_only: true,
      body: letter(
        'have you found the time to try it? The first thing that most people do is to bring in the plan of one week; it takes ten minutes.',
        'I am glad to do it together with you.',
      ),
    },
    {
      type: 'task',
      delay_s: 8 * DAY_S,
      business_days_only: true,
      task_title: 'Decide how to go on with {{contact.name}}',
      body: 'No answer since the demo{{#deal.title}} ({{deal.title}}){{/deal.title}}. Call, wait, or close the deal?',
    },
  ],
}

export const WIN_BACK: Texts = {
  key: 'win_back',
  name: 'Win back',
  description: 'For those who chose something else. Paused until the new price list is out.',
  stop_on: ['reply', 'meeting_booked', 'unsubscribe', 'bounce'],
  steps: [
    {
      type: 'email',
      delay_s: 3 * DAY_S,
      business_days_only: true,
      subject: 'One question, {{contact.first_name}}',
      body: letter(
        'you decided against us, and I would like to learn from it. What was the one thing that spoke for the others?',
      ),
    },
    {
      type: 'email',
      delay_s: 15 * DAY_S,
      business_days_only: true,
      body: letter(
        'since we talked, the mobile app and the interface for orders have become part of every plan. Is that a reason to look once more?',
      ),
    },
    {
      type: 'email',
      delay_s: 15 * DAY_S,
      business_days_only: true,
      subject: 'I close your file',
      body: letter(
        `this is my last mail. Should something change at ${COMPANY}, a short line is enough, and I am back at once.`,
      ),
    },
  ],
}

export const TRADE_FAIR: Texts = {
  key: 'trade_fair',
  name: 'Met at the autumn fair',
  description: 'Was over when the fair was.',
  steps: [
    {
      type: 'email',
      delay_s: 1800,
      subject: 'Nice to have met you at the fair',
      body: letter(
        'thank you for your visit. You find the slides about planning on our website, and the person who has made them at this address.',
      ),
    },
    {
      type: 'call',
      delay_s: 5 * DAY_S,
      business_days_only: true,
      task_title: 'Call {{contact.name}} (fair)',
    },
    {
      type: 'email',
      delay_s: 15 * DAY_S,
      business_days_only: true,
      body: letter('is the topic still on your list this year, or shall I ask again in the next one?'),
    },
  ],
}

/** Replies of contacts, and the team's answers to them. {them} and {us} are first names. */
export const ANSWERS: { them: string; us: string }[] = [
  {
    them: 'Thank you for asking. We plan with two spreadsheets and a whiteboard, and the whiteboard wins. Can you send me an offer for the planners first?',
    us: 'The whiteboard always wins, until somebody is on leave. The offer comes tomorrow, for the planners alone.',
  },
  {
    them: 'Good that you write, I had it on my list. Please call me next week, best in the morning.',
    us: 'With pleasure, I call you in the morning. If something comes up, just tell me another time.',
  },
  {
    them: 'Not this year, I am afraid: our budget is spent. Ask me again in spring.',
    us: 'Thank you for saying it so clearly. I ask again in spring and leave you in peace until then.',
  },
  {
    them: 'I am not the right one for this any more. My colleague in operations decides about it now.',
    us: 'Thank you! I write to your colleague, and tell them that the hint came from you.',
  },
  {
    them: 'We have looked at it with three people. One open question: can it run on our own server?',
    us: 'Yes, it can, and several of our customers do just that. I send you what your IT will want to know.',
  },
  {
    them: 'Please do not take it amiss, but we have decided for another product.',
    us: 'Not at all. Thank you for telling me, and good luck with it.',
  },
]

/** The reply of a mail server for a person who has left. */
export const GONE = '550 5.1.1 There is no such mailbox here'

export const BOOKED = { title: 'First call: {us} and {them}', summary: 'They plan with spreadsheets. Offer follows.' }
