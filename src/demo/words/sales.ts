import { note, putOff, type Topic, them, us, withFile } from './topics.ts'

/** Conversations about open and lost deals, and with strangers. */
export const SALES: Topic[] = [
  {
    on: 'early',
    channels: ['email'],
    subject: 'Price for {seats}',
    tag: 'inbound',
    lines: [
      them(
        'I filled in the form on your website. We plan with spreadsheets today and want to start with {seats}. What does that cost in a year, and how long does it take until we can work with it?',
        'A colleague from another firm showed me your product last week. Could you tell me what {seats} cost, and whether the {team} team can try it first?',
      ),
      withFile(
        'prices',
        us(
          'Thank you for writing. For {seats} most firms of your size take the annual plan; the price list is attached. Teams usually work with it after two weeks. Shall we look at it together on {day}?',
        ),
      ),
      them('{day} suits me, best before noon.', '{day} is fine. My colleague from the {team} team will join us.'),
      us('Noted, the invitation is on its way.'),
    ],
  },
  {
    on: 'early',
    channels: ['email', 'chat'],
    subject: 'Does it work with our ERP?',
    lines: [
      them(
        'Before we go on I have to know: can {module} take the orders from our ERP, or does somebody have to type them in again?',
      ),
      us(
        'Nobody types anything twice. There is an interface for orders and master data, and a file import for everything else. Which system is it, and which version?',
      ),
      them('It is four years old, and the vendor calls it "classic". Files would do for a start.'),
      us('Files it is, then. I send you the description of the columns; your IT can judge it in ten minutes.'),
    ],
  },
  {
    on: 'early',
    channels: ['chat'],
    subject: null,
    lines: [
      them('Hi, is {module} part of the annual plan?', 'Quick question: is there a plan without {module}?'),
      us('Hello {them}, it is an add-on and priced per seat. Shall I put it into the offer for {seats}?'),
      them('Yes please, as a line of its own.'),
      us('Done. You have it within the hour.'),
    ],
  },
  {
    on: 'early',
    channels: ['email', 'chat'],
    subject: 'More time for the trial',
    lines: [
      them(
        'Our trial ended before I could show it to the {team} team. Could we have another week?',
        'Half of the {team} team was on leave during the trial. Is there a way to have it opened again?',
      ),
      us('Of course. It is open again until {day} of next week, with everything that you had entered.'),
      them('That helps a lot, thank you.'),
    ],
  },
  {
    on: 'early',
    channels: ['sms'],
    subject: null,
    lines: [
      them('Running ten minutes late for our call, sorry. {them}', 'Train is late. Can we make it half an hour later?'),
      us('No problem. Dial in when you can, {us}'),
    ],
  },
  {
    on: 'early',
    channels: ['phone'],
    subject: 'Call back: brochure and demo',
    lines: [
      them(
        'Called while nobody was at the desk. Wants the brochure, and a call back before {day}.',
        'Asked on the phone for a demo for the {team} team, not on {day}.',
      ),
      us('Called back: brochure sent, demo wanted with data of their own.'),
      note('Friendly, in a hurry. Decides together with the {team} team.'),
    ],
  },
  {
    on: 'late',
    channels: ['email'],
    subject: 'Three questions about offer {number}',
    lines: [
      them(
        'We went through your offer with the {team} team. Three questions are left:\n\n1. Is the price fixed for the second year?\n2. Can we begin with fewer seats and add the rest in spring?\n3. Who owns our data if we leave?',
      ),
      us(
        'Good questions, short answers:\n\n1. Yes, for the whole term.\n2. Yes, seats can be added by the month; the discount stays that of {seats}.\n3. You do. The export has everything, in files that any program reads.',
      ),
      note('They compare us with another vendor; the second question is the one that counts.'),
      them('That is what we needed. I take it to our board on {day}.'),
    ],
  },
  {
    on: 'late',
    channels: ['email'],
    subject: 'Security questionnaire',
    priority: 'high',
    tag: 'security review',
    lines: [
      withFile(
        'questions',
        them(
          'Our IT has a questionnaire for every new supplier; it is attached. Without it we cannot sign. Could you return it within a week?',
        ),
      ),
      putOff(
        2,
        us('It has arrived. A few answers have to come from our colleagues in operations; you hear from me by {day}.'),
      ),
      note('Backup and encryption are answered; somebody has to write something about the second site.'),
      withFile('answers', us('Here it is, with all forty questions answered. If your IT wants to talk, I arrange it.')),
      them('Passed on to them. First reaction: better than expected.'),
    ],
  },
  {
    on: 'late',
    channels: ['email'],
    subject: 'Data processing agreement',
    lines: [
      them(
        'Our data protection officer asks for your agreement on data processing, and for the list of those who work for you.',
      ),
      us(
        'Both are on our website, in English and German: https://www.northwind-demo.example/privacy\n\nThe list is short: the data stays in one data centre, and nobody else sees it.',
      ),
      them('He has two remarks on page three. Can we change the wording there?'),
      us('We can. Please send me his wording, and our lawyer looks at it within two days.'),
    ],
  },
  {
    on: 'late',
    channels: ['email'],
    subject: 'Two years instead of one',
    lines: [
      them('What would the price be if we signed for two years straight away?'),
      note('Up to eight per cent is fine, as we agreed on Monday.'),
      withFile('offer', us('For two years it is eight per cent less; the new offer, number {number}, is attached.')),
      them('Looks good. One signature is still missing, he is back on {day}.'),
    ],
  },
  {
    on: 'late',
    channels: ['email', 'chat'],
    subject: 'A customer we could call?',
    lines: [
      them('Our management would like to talk with somebody who has worked with it for a year, best in our trade.'),
      us('Gladly. I ask two of them today, and come back with a name and a number.'),
      us('Both said yes. You reach the first one on {day} afternoon; she runs a {team} team of thirty.'),
      them('Thank you, I called her. Very open, also about what went wrong in the first month.'),
    ],
  },
  {
    on: 'late',
    channels: ['email'],
    subject: 'Purchase order {number}',
    lines: [
      withFile('order', them('Please find our purchase order attached. The number has to stand on every invoice.')),
      us('Thank you! Order {number} is in our books, and the number will be on the invoices. We begin on {day}.'),
    ],
  },
  {
    on: 'late',
    channels: ['sms'],
    subject: null,
    lines: [
      them('Signed and scanned, it is in your mail. Now I need a coffee.', 'Board said yes! Papers follow on {day}.'),
      us('Wonderful, thank you! The coffee is on us.'),
    ],
  },
  {
    on: 'late',
    channels: ['phone'],
    subject: 'Where to sign',
    lines: [
      them('Asks by phone who signs on our side, and whether a scan is enough.'),
      us('Told them that a scan is enough, and that the owner signs on {day}.'),
    ],
  },
  {
    on: 'lost',
    channels: ['email'],
    subject: 'Our decision',
    lines: [
      them(
        'I wanted to tell you myself: we stay with what we have for another year. It was close, and the demo was the best that we saw.',
        'We have decided for another vendor. The price was the reason, not the product.',
      ),
      us('Thank you for saying it so openly. May I call you in autumn, when your contract ends?'),
      them('Please do.'),
    ],
  },
  {
    on: 'lost',
    channels: ['email'],
    subject: 'Data of our trial',
    priority: 'low',
    lines: [
      them('Now that we will not work together for the time being: please delete what we entered during the trial.'),
      us('It is deleted, also from the backups within thirty days.'),
    ],
  },
  {
    on: 'new',
    channels: ['email'],
    subject: 'Question from your website',
    tag: 'inbound',
    lines: [
      them(
        'I found you by a search for {module}. Is that also something for a firm of twelve people, or only for large ones?',
        'Does your product also come without a cloud, on a machine of our own?',
      ),
      withFile(
        'prices',
        us(
          'Yes, it does. The price list is attached; the smallest plan is made for firms like yours. Shall I call you?',
        ),
      ),
      them('Not yet, I have to show it to my partner first. But thank you for the quick answer.'),
    ],
  },
  {
    on: 'new',
    channels: ['email'],
    subject: 'Interview for a thesis',
    priority: 'low',
    lines: [
      them(
        'I write my thesis about {module} in small firms. Would somebody of you have half an hour for an interview?',
      ),
      us('Gladly, on {day} at three. One of our {team} people will be there, too.'),
    ],
  },
  {
    on: 'new',
    channels: ['email'],
    subject: 'Partnership',
    tag: 'partner',
    lines: [
      them(
        'We advise firms that introduce systems like yours, and three of our clients ask for {module}. How do you work with partners?',
      ),
      us('Thank you, that is interesting. I have put you in touch with our owner; she calls you on {day}.'),
      note('Small, but they know every carrier in the region.'),
    ],
  },
  {
    on: 'new',
    channels: ['email', 'chat'],
    subject: 'Stand at the trade fair',
    priority: 'low',
    lines: [
      them('We still have room in hall four. A stand of twelve square metres would be yours with a discount.'),
      us('Thank you, but we are only there as visitors this year.'),
    ],
  },
]

/** Unfinished work for a large customer. */
export const OPEN_POINTS: Topic = {
  on: 'won',
  channels: ['phone', 'email', 'chat'],
  subject: 'Open points of the rollout',
  lines: [
    us(
      'Three points of the rollout are open: the import of the second site, two badges that are not read, and the report for {firm}. You have our word that all three are settled soon.',
    ),
  ],
}
