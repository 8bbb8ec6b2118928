import { note, putOff, type Topic, them, us, withFile } from './topics.ts'

/** Conversations with customers. */
export const SERVICE: Topic[] = [
  {
    on: 'won',
    channels: ['chat', 'email'],
    subject: 'Cannot log in',
    priority: 'high',
    lines: [
      them(
        'Since this morning I cannot log in any more. It says that my password is wrong, and it is not.',
        'Two people of the {team} team are locked out. Can you help?',
      ),
      us('Sorry for that. Did you change your email address lately? The old one was still in your account.'),
      them('We did, all of us, on {day}!'),
      us('That was it: the new addresses are in. Please try again.'),
      them('Works. Thank you!'),
    ],
  },
  {
    on: 'won',
    channels: ['email'],
    subject: 'Invoice {number}',
    lines: [
      them(
        'Invoice {number} has our old address on it, and our accounting sends it back. Could you write a new one?',
        'On invoice {number} the number of our order is missing. Without it nobody here may pay it.',
      ),
      us('You are right. The corrected invoice goes out today, and the next ones will be right from the start.'),
      them('It is here and in order now.'),
    ],
  },
  {
    on: 'won',
    channels: ['email'],
    subject: 'Import of our staff list',
    lines: [
      withFile(
        'staff',
        them('Attached is an extract of our staff list. Which columns do you need so that we can take it over?'),
      ),
      us(
        'Names and teams are enough; the times come with the first plan. In your file the dates need four digits for the year.',
      ),
      withFile('staff', them('Here is the whole list, with the dates as you said.')),
      putOff(1, us('Thank you. We load it tonight, when nobody is working with it.')),
      us('It is in: everybody has a team, and two names that came twice are one person now.'),
      them('I looked through it with the {team} team. All there.'),
    ],
  },
  {
    on: 'won',
    channels: ['email'],
    subject: 'Training for new colleagues',
    lines: [
      them('In the {team} team six people start next month. Do you have a training that does not take a whole day?'),
      us(
        'Two hours online are enough for them, in a group of up to eight. {day} morning is free, would that suit you?',
      ),
      them('It does. Please send the link to me, I pass it on.'),
      us('It is on its way, with a page of exercises for the day after.'),
    ],
  },
  {
    on: 'won',
    channels: ['email'],
    subject: 'Totals in the monthly report',
    priority: 'high',
    lines: [
      them(
        'The totals of the monthly report differ from those of the list by about two per cent. Which ones are right?',
      ),
      us('The list. The report leaves out hours that were entered after {day}; we are looking into it.'),
      note('Confirmed: late entries are missing. Development has it, a fix is planned for this week.'),
      putOff(
        3,
        us('We found the reason. The fix comes with the next update, and the old reports are made again then.'),
      ),
      us('The update is in, and the reports of the last three months are new. Do the totals agree now?'),
      them('To the minute. Thank you for staying with it.'),
    ],
  },
  {
    on: 'won',
    channels: ['chat', 'sms'],
    subject: null,
    lines: [
      them('The app does not show the shifts of next week. Everybody asks me.', 'App is empty since the update?'),
      us('Please log out and in again once: the old version keeps the plan of yesterday.'),
      them('That did it.', 'Yes! All there.'),
    ],
  },
  {
    on: 'won',
    channels: ['email'],
    subject: 'A few more seats',
    tag: 'expansion',
    lines: [
      them('We grow: the {team} team gets five people more. What do we have to do?'),
      us('Nothing but say yes. The seats count from the first of the month, at the price that you have.'),
      them('Then: yes.'),
      us('They are there. The new people can be invited by you under "Team".'),
    ],
  },
  {
    on: 'won',
    channels: ['email', 'chat'],
    subject: 'A wish: copy last week',
    priority: 'low',
    lines: [
      them('It would save us an hour a week if {module} could copy the plan of last week. Is that planned?'),
      us('You are not the first to ask. It is on the list for this year; may we show you a draft when there is one?'),
      them('With pleasure.'),
    ],
  },
  {
    on: 'won',
    channels: ['email'],
    subject: 'Maintenance on {day}',
    lines: [
      us(
        'On {day} evening, from eight to ten, we move {firm} to new machines. Nobody can log in during that time; shifts that are shown on phones stay readable.\n\nIf that evening does not suit you, please tell me.',
      ),
      them('Fine with us, the night shift begins at eleven.'),
    ],
  },
  {
    on: 'won',
    channels: ['phone'],
    subject: 'Outage in the morning',
    priority: 'urgent',
    lines: [
      them('Nobody at {firm} can open the plan, and the early shift stands at the gate.'),
      us('Called back after twenty minutes: their own network was down, the plan is there again over mobile.'),
      note('They want a printed plan as a fallback. Idea for {module}: a page to print each evening.'),
    ],
  },
  {
    on: 'won',
    channels: ['phone'],
    subject: 'Question about holidays',
    lines: [
      them('Asks how public holidays of another region are entered.'),
      us('Showed it on the phone: under "Calendar", one click per region.'),
    ],
  },
  {
    on: 'won',
    channels: ['email'],
    subject: 'Export for our auditors',
    lines: [
      them('Our auditors want all entries of last year as a file. Can you make that for us?'),
      us(
        'You can do it yourself, at any time: "Reports", then "Export". The description is here: https://www.northwind-demo.example/help/export',
      ),
      them('Found it. They are happy, and that is rare.'),
    ],
  },
  {
    on: 'won',
    channels: ['email'],
    subject: 'Somebody else from next month on',
    tag: 'champion',
    lines: [
      them('I change my position and will be responsible for {module} no longer. My successor writes to you by {day}.'),
      us('All the best for it, and thank you: without you this would have taken a year longer.'),
    ],
  },
  {
    on: 'won',
    channels: ['email'],
    subject: 'Renewal',
    tag: 'renewal',
    lines: [
      us('Your contract ends in three months. Shall it go on as it is, or do you want to change something?'),
      them('As it is, but with the new address on it. And could we pay by quarter?'),
      withFile('offer', us('By quarter is no problem. The renewal is attached, number {number}.')),
      them('Signed and sent back.'),
    ],
  },
]
