// Words of meetings: subjects, summaries, and dialogues for transcripts.

export type MeetingKind = 'call' | 'demo' | 'offer' | 'kickoff' | 'review'

/**
 * {firm} is the customer, {seats} the seats in the title of the deal, {module} a part of the product, {team} a team.
 */
export type MeetingWords = {
  title: string
  minutes: number
  description: string | null
  summaries: string[]
}

export const MEETINGS: Record<MeetingKind, MeetingWords> = {
  call: {
    title: 'First call with {firm}',
    minutes: 30,
    description: 'To find out what they need, who decides, and when.',
    summaries: [
      'They plan in spreadsheets, and the person who knows them leaves in summer.\n\n- wish: {seats}\n- decision in the {team} team\n- demo with data of their own',
      'Pleasant call. Budget is there, time is not: nothing before the end of their season.',
    ],
  },
  demo: {
    title: 'Demo for {firm}',
    minutes: 60,
    description: '1. What {firm} does today\n2. {module}, with their own data\n3. Questions of the {team} team',
    summaries: [
      'The {team} team wants to try it. {module} was what convinced them.\n\n**Open:** the interface to their ERP; who enters the sick leave.',
      'Six people, many questions about permissions. They want to see the report of a whole month next time.',
    ],
  },
  offer: {
    title: 'Offer for {firm}',
    minutes: 45,
    description: 'We go through the offer for {seats} line by line.',
    summaries: [
      'All lines are clear. They want two years, and the training before the start.',
      'The price is accepted, the date is not: purchasing needs three weeks.',
    ],
  },
  kickoff: {
    title: 'Kick-off with {firm}',
    minutes: 90,
    description: 'Who does what until the first plan is out: data, accounts, training.',
    summaries: [
      'First plan in four weeks.\n\n- [ ] staff list, by them\n- [ ] accounts, by us\n- [ ] training of the {team} team',
      'Everybody knows what to do. The old plan goes on beside the new one for two weeks.',
    ],
  },
  review: {
    title: 'Half a year with {firm}',
    minutes: 45,
    description: 'What works, what is missing, and what comes next.',
    summaries: ['Content. They use less of {module} than they pay for: a training would help.'],
  },
}

/** A turn of speech: by the team, the customer, or a second customer if there is one. */
export type Turn = ['us' | 'them' | 'other', string]
export type Scene = Turn[]

export const OPENINGS: Scene[] = [
  [
    ['us', 'Good morning {them}, can you hear me?'],
    ['them', 'Loud and clear. Good morning {us}.'],
    ['us', 'Wonderful. Is it all right for you that we record this, for those who cannot be here?'],
    ['them', 'Of course, go ahead.'],
    ['us', 'Then let us begin. I thought that you tell me first where you stand today.'],
  ],
  [
    ['them', 'Hello {us}, sorry, the meeting before took longer.'],
    ['us', 'No problem at all. I have switched the recording on, if that is fine with everybody.'],
    ['other', 'Fine with me.'],
    ['them', 'With me, too.'],
    ['us', 'Good. We have three points today, and I would like to leave ten minutes for your questions.'],
  ],
]

export const SCENES: Scene[] = [
  [
    ['them', 'Today all of it is in one large spreadsheet, and only two people dare to touch it.'],
    ['us', 'And what happens when both of them are on leave?'],
    ['them', 'Then nobody changes anything, and people call each other on the phone.'],
    ['other', 'Last summer we had three shifts without a forklift driver because of that.'],
  ],
  [
    ['us', 'Let me share my screen. This is {module} with the extract that you sent us.'],
    ['them', 'That is our warehouse, I recognise the names.'],
    ['us', 'Whatever is red has nobody yet. I drag a name there, and the person gets a message.'],
    ['other', 'And if the person cannot come?'],
    ['us', 'Then one tap is enough, and the line is red again. Nobody has to call.'],
  ],
  [
    ['them', 'How does it know who may drive what?'],
    [
      'us',
      'Each person has a list of permits with the day on which they end. Without one, the name cannot be put there.',
    ],
    ['them', 'And it warns us before they end?'],
    ['us', 'Four weeks before, and again after two.'],
  ],
  [
    ['other', 'What about our ERP? The orders come from there.'],
    ['us', 'There is an interface for it. For a start most customers take a file, once in the night.'],
    ['other', 'A file would be enough for us, I think.'],
    ['us', 'I send you the description of the columns today.'],
  ],
  [
    ['them', 'Let us talk about money. What would {seats} cost?'],
    ['us', 'It is in the offer, on the second page. The first year has the training in it.'],
    ['them', 'Is there something to be done about the price if we sign for two years?'],
    ['us', 'There is. Give me until {day}, and I come back with a number.'],
  ],
  [
    ['them', 'Our works council will want to know who sees the times of the people.'],
    ['us', 'The person, the team lead, and payroll. Each look at it is written down.'],
    ['them', 'May I show them that on paper?'],
    ['us', 'There is a page about exactly that. You have it in an hour.'],
  ],
  [
    ['other', 'Where is the data, actually?'],
    [
      'us',
      'In one data centre, with a second copy at another site. Or with you, if you would rather run it yourselves.',
    ],
    ['other', 'We have nobody for that.'],
    ['us', 'Then I would leave it with us.'],
  ],
  [
    ['us', 'How many people would use it in the first month?'],
    ['them', 'The {team} team, so about a dozen. The others follow when it works.'],
    ['us', 'That is a good way to begin. Two hours of training are enough for a dozen.'],
    ['them', 'Could that be on a {day}? The other days we load trucks.'],
    ['us', '{day} it is.'],
  ],
  [
    ['them', 'One thing that annoys everybody is that the holidays are in another program.'],
    ['us', 'They can come in by a calendar link. Then the plan knows who is away.'],
    ['them', 'Without anybody typing it in again?'],
    ['us', 'Without anybody typing it in again.'],
    ['other', 'That alone would be worth it to me.'],
  ],
  [
    ['other', 'Does it work on the phones that our people have? Some of them are old.'],
    ['us', 'Everything from the last six years. It is a web page, so there is nothing to install.'],
    ['other', 'And without a network, down in the cold store?'],
    ['us', 'The plan of the day stays on the phone. Changes come when there is a network again.'],
  ],
  [
    ['us', 'What would have to happen for you to say after a year that it was worth it?'],
    ['them', 'If nobody calls me on Sunday evening any more.'],
    ['us', 'I write that down as goal number one.'],
    ['them', 'And the report for the management should not take me a day.'],
  ],
  [
    ['them', 'Who helps us if it stands still at five in the morning?'],
    ['us', 'There is a number for that, day and night. Last year it rang four times in all.'],
    ['them', 'Four times for all customers?'],
    ['us', 'For all of them. Twice it was their own network.'],
  ],
]

export const ENDINGS: Scene[] = [
  [
    ['us', 'Then I sum up: you send the list of the people, and I send the offer and the page for the works council.'],
    ['them', 'Exactly. And we meet again in two weeks.'],
    ['us', 'The invitation follows. Thank you for your time!'],
    ['them', 'Thank you, {us}. Goodbye.'],
  ],
  [
    ['us', 'I think we have everything. Is there a question left?'],
    ['other', 'Not from me.'],
    ['them', 'No, that was very clear. You hear from us on {day}.'],
    ['us', 'Wonderful. Have a good day, both of you.'],
  ],
]
