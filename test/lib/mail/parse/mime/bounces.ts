import { base64Lines, wordQ } from './encode.ts'
import { type Expected, lines, type Maker, multipart, type Part, type Setting } from './mail.ts'

// Reports of deliveries in the manners of thirty servers and services, in our own words.

type Given = Setting & { gone: string; about: string; why: string; status: string }
type Bounce = { name: string; make: (given: Given) => { source: string; expect?: Expected } }

const returned = ({ to, gone, about }: Given): string =>
  lines(
    'Received: by mx.shop.example; Sun, 22 Nov 2026 08:00:00 +0000',
    `From: ${to}`,
    `To: ${gone}`,
    `Message-ID: ${about}`,
    'Subject: Our offer',
    '',
    'Dear customer, here is our offer.',
  )

const daemonHead = (given: Given, from: string, subject: string, ...more: string[]): string =>
  lines(
    'Return-Path: <>',
    `Message-ID: ${given.id}`,
    `Date: ${given.date}`,
    `From: ${from}`,
    `To: ${given.to}`,
    `Subject: ${subject}`,
    'MIME-Version: 1.0',
    ...more,
  )

const plain = (given: Given, from: string, subject: string, body: string[], ...more: string[]): string =>
  `${daemonHead(given, from, subject, ...more)}\r\n${lines(...body)}`

const block = ({ gone, status, why }: Given, action = 'failed'): string[] => [
  `Final-Recipient: rfc822; ${gone}`,
  `Action: ${action}`,
  `Status: ${status}`,
  `Diagnostic-Code: smtp; ${why}`,
]

function standard(
  given: Given,
  from: string,
  subject: string,
  said: string,
  fields: string[],
  last: Part | undefined,
  ...more: string[]
): string {
  const parts: Part[] = [
    { type: 'text/plain; charset=us-ascii', body: said },
    { type: 'message/delivery-status', body: lines('Reporting-MTA: dns; mx.shop.example', '', ...fields) },
    ...(last ? [last] : []),
  ]
  return `${daemonHead(given, from, subject, 'Content-Type: multipart/report; report-type=delivery-status; boundary="rep"', ...more)}\r\n${multipart('rep', parts)}`
}
const wholeMail = (given: Given): Part => ({ type: 'message/rfc822', body: returned(given) })
const headOnly = (given: Given): Part => ({
  type: 'text/rfc822-headers',
  body: returned(given).split('\r\n\r\n')[0] as string,
})

const DAEMON = 'Mail Delivery System <MAILER-DAEMON@mx.shop.example>'

export const BOUNCES: Bounce[] = [
  {
    name: 'postfix',
    make: (g) => ({
      source: standard(
        g,
        DAEMON,
        'Undelivered Mail Returned to Sender',
        'The mail could not be delivered.',
        [`Original-Recipient: rfc822;${g.gone}`, ...block(g)],
        wholeMail(g),
        'Auto-Submitted: auto-replied',
      ),
    }),
  },
  {
    name: 'postfix, heads only',
    make: (g) => ({
      source: standard(g, DAEMON, 'Undelivered Mail Returned to Sender', 'Not delivered.', block(g), headOnly(g)),
    }),
  },
  {
    name: 'postfix, delayed',
    make: (g) => ({
      source: standard(
        g,
        DAEMON,
        'Delayed Mail (still being retried)',
        'It is tried again.',
        block({ ...g, status: '4.4.1', why: 'connect: timed out' }, 'delayed'),
        headOnly(g),
      ),
      expect: { action: 'delayed', status: '4.4.1' },
    }),
  },
  {
    name: 'sendmail',
    make: (g) => ({
      source: standard(
        g,
        'Mail Delivery Subsystem <MAILER-DAEMON>',
        'Returned mail: see transcript for details',
        `   ----- The following addresses had permanent fatal errors -----\r\n<${g.gone}>\r\n    (reason: ${g.why})`,
        [`Original-Recipient: RFC822;<${g.gone}>`, ...block(g)],
        wholeMail(g),
      ),
      expect: { from: null },
    }),
  },
  {
    name: 'sendmail, text alone',
    make: (g) => ({
      source: plain(g, 'Mail Delivery Subsystem <MAILER-DAEMON@relay.test>', 'Returned mail: User unknown', [
        'The original message was received at Sun, 22 Nov 2026',
        '',
        '   ----- The following addresses had permanent fatal errors -----',
        `<${g.gone}>`,
        '',
        '   ----- Transcript of session follows -----',
        `... while talking to mx.shop.example.:`,
        `>>> RCPT To:<${g.gone}>`,
        `<<< ${g.why}`,
        '',
        '   ----- Original message follows -----',
        '',
        returned(g),
      ]),
    }),
  },
  {
    name: 'qmail',
    make: (g) => ({
      source: plain(g, 'MAILER-DAEMON@q.test', 'failure notice', [
        'Hi. This is the qmail-send program at q.test.',
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        '',
        `<${g.gone}>:`,
        `192.0.2.9 does not like recipient.`,
        `Remote host said: ${g.why}`,
        'Giving up on 192.0.2.9.',
        '',
        '--- Below this line is a copy of the message.',
        '',
        returned(g),
      ]),
    }),
  },
  {
    name: 'exim',
    make: (g) => ({
      source: plain(
        g,
        'Mail Delivery System <Mailer-Daemon@exim.test>',
        'Mail delivery failed: returning message to sender',
        [
          'This message was created automatically by mail delivery software.',
          '',
          'A message that you sent could not be delivered to one or more of its',
          'recipients. This is a permanent error. The following address(es) failed:',
          '',
          `  ${g.gone}`,
          `    host mx.shop.example [192.0.2.7]`,
          `    SMTP error from remote mail server after RCPT TO:<${g.gone}>:`,
          `    ${g.why}`,
          '',
          '------ This is a copy of the message, including all the headers. ------',
          '',
          returned(g),
        ],
        `X-Failed-Recipients: ${g.gone}`,
        'Auto-Submitted: auto-replied',
      ),
    }),
  },
  {
    name: 'exim of old',
    make: (g) => ({
      source: plain(g, 'Mail Delivery System <Mailer-Daemon@exim.test>', 'Mail failure - returned', [
        'A message that you sent could not be delivered to all of its recipients.',
        'The following address failed:',
        '',
        `  ${g.gone}:`,
        `    ${g.why}`,
        '',
        `Message-ID: ${g.about}`,
      ]),
    }),
  },
  {
    name: 'exim, warning',
    make: (g) => ({
      source: plain(
        g,
        'Mail Delivery System <Mailer-Daemon@exim.test>',
        'Warning: message 1abCdE-0000 delayed 24 hours',
        [
          'A message that you sent has not yet been delivered to one or more of its recipients after more than 24 hours.',
          '',
          'The address to which the message has not yet been delivered is:',
          '',
          `  ${g.gone}`,
          '    Delay reason: connection timed out',
          '',
          'No action is required on your part.',
          '',
          `Message-ID: ${g.about}`,
        ],
      ),
      expect: { action: 'delayed', status: undefined as never },
    }),
  },
  {
    name: 'exchange of today',
    make: (g) => ({
      source: `${daemonHead(g, 'Microsoft Outlook <MicrosoftExchange329e@tenant.test>', 'Undeliverable: Our offer', 'Content-Type: multipart/report; report-type=delivery-status; boundary="x"', `In-Reply-To: ${g.about}`, 'X-Auto-Response-Suppress: All')}\r\n${multipart(
        'x',
        [
          {
            type: 'multipart/alternative; boundary="y"',
            body: multipart('y', [
              { type: 'text/plain; charset=us-ascii', body: `Your message to ${g.gone} couldn't be delivered.` },
              { type: 'text/html', body: `<p>Your message to ${g.gone} couldn't be delivered.</p>` },
            ]),
          },
          {
            type: 'message/delivery-status',
            body: lines(
              'Reporting-MTA: dns;srv.tenant.test',
              '',
              `Final-Recipient: rfc822;${g.gone}`,
              'Action: failed',
              `Status: ${g.status}`,
              `Diagnostic-Code: smtp;${g.why}`,
            ),
          },
          wholeMail(g),
        ],
      )}`,
    }),
  },
  {
    name: 'exchange, German',
    make: (g) => ({
      source: plain(
        g,
        'Systemadministrator <postmaster@firma.test>',
        'Unzustellbar: Our offer',
        [
          'Ihre Nachricht hat einige oder alle Empfänger nicht erreicht.',
          '',
          '      Betreff:  Our offer',
          '      Gesendet am:  22.11.2026 08:00',
          '',
          'Folgende(r) Empfänger kann/können nicht erreicht werden:',
          '',
          `      '${g.gone}' am 22.11.2026 08:00`,
          `            ${g.why}`,
        ],
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 8bit',
        `In-Reply-To: ${g.about}`,
      ),
    }),
  },
  {
    name: 'exchange, French',
    make: (g) => ({
      source: plain(
        g,
        'Administrateur système <postmaster@societe.test>',
        wordQ('Non remis : Our offer'),
        ["Votre message n'a pas pu être remis aux destinataires suivants :", '', g.gone, `  ${g.why}`],
        'Content-Type: text/plain; charset=utf-8',
        `References: ${g.about}`,
        `In-Reply-To: ${g.about}`,
      ),
    }),
  },
  {
    name: 'exchange, Spanish',
    make: (g) => ({
      source: plain(
        g,
        'Administrador del sistema <postmaster@empresa.test>',
        'No se puede entregar: Our offer',
        ['No se pudo entregar el mensaje a estos destinatarios:', '', `${g.gone} el 22/11/2026`, `${g.why}`],
        'Content-Type: text/plain; charset=utf-8',
        `In-Reply-To: ${g.about}`,
      ),
    }),
  },
  {
    name: 'gmail',
    make: (g) => ({
      source: standard(
        g,
        'Mail Delivery Subsystem <mailer-daemon@googly.test>',
        'Delivery Status Notification (Failure)',
        `** Address not found **\r\n\r\nYour message wasn't delivered to ${g.gone}.`,
        block(g),
        wholeMail(g),
        `X-Failed-Recipients: ${g.gone}`,
        `References: ${g.about}`,
        `In-Reply-To: ${g.about}`,
      ),
    }),
  },
  {
    name: 'gmail of old',
    make: (g) => ({
      source: plain(
        g,
        'Mail Delivery Subsystem <mailer-daemon@googly.test>',
        'Delivery Status Notification (Failure)',
        [
          'Delivery to the following recipient failed permanently:',
          '',
          `     ${g.gone}`,
          '',
          'Technical details of permanent failure:',
          `The other server said: ${g.why}`,
          '',
          '----- Original message -----',
          '',
          returned(g),
        ],
        `X-Failed-Recipients: ${g.gone}`,
      ),
    }),
  },
  {
    name: 'gmail, delay',
    make: (g) => ({
      source: standard(
        g,
        'Mail Delivery Subsystem <mailer-daemon@googly.test>',
        'Delivery Status Notification (Delay)',
        'Delivery incomplete: it is tried for 46 more hours.',
        block({ ...g, status: '4.4.1', why: 'The server did not answer.' }, 'delayed'),
        headOnly(g),
      ),
      expect: { action: 'delayed', status: '4.4.1' },
    }),
  },
  {
    name: 'yahoo',
    make: (g) => ({
      source: plain(g, 'MAILER-DAEMON@yah.test', 'Failure Notice', [
        'Sorry, we were unable to deliver your message to the following address.',
        '',
        `<${g.gone}>:`,
        g.why,
        '',
        '--- Below this line is a copy of the message.',
        '',
        returned(g),
      ]),
    }),
  },
  {
    name: 'icloud',
    make: (g) => ({
      source: standard(
        g,
        'Mail Delivery System <MAILER-DAEMON@cloudy.test>',
        'Undelivered Mail Returned to Sender',
        'It could not be delivered.',
        [
          `Final-Recipient: RFC822;${g.gone}`,
          'Action: Failed',
          `Status: ${g.status}`,
          `Diagnostic-Code: SMTP; ${g.why}`,
        ],
        headOnly(g),
      ),
    }),
  },
  {
    name: 'gmx',
    make: (g) => ({
      source: plain(
        g,
        '"GMX Mailer Daemon" <mailer-daemon@gmxish.test>',
        'Mail delivery failed: returning message to sender',
        [
          'This message was created automatically by mail delivery software.',
          '',
          'A message that you sent could not be delivered to one or more of its recipients.',
          'The following address failed:',
          '',
          g.gone + ':',
          'SMTP error from remote server for RCPT TO command, host: mx.shop.example',
          `reason: ${g.why}`,
          '',
          '--- The header of the original message is following. ---',
          '',
          returned(g),
        ],
      ),
    }),
  },
  {
    name: 'lotus domino',
    make: (g) => ({
      source: plain(g, 'Postmaster@notes.test', 'DELIVERY FAILURE: User not listed in Domino Directory', [
        'Your message',
        '',
        '  Subject: Our offer',
        '',
        'was not delivered to:',
        '',
        `  ${g.gone}`,
        '',
        'because:',
        '',
        `  ${g.why}`,
        '',
        `Message-ID: ${g.about}`,
      ]),
    }),
  },
  {
    name: 'barracuda',
    make: (g) => ({
      source: plain(g, 'Mail Gateway <postmaster@fish.test>', '**Message you sent blocked by our bulk email filter**', [
        `Your message to: ${g.gone}`,
        'was blocked by our filter. The mail could not be delivered.',
        '',
        `Reason: ${g.why}`,
        '',
        `Message-ID: ${g.about}`,
      ]).replace('**Message you sent blocked', '**Message blocked'),
    }),
  },
  {
    name: 'mimecast',
    make: (g) => ({
      source: plain(
        g,
        'Postmaster <postmaster@cast.test>',
        '[Postmaster] Email Delivery Failure'.replace('[Postmaster] Email ', ''),
        [
          'This is a delivery failure notification message indicating that an email you addressed to',
          `${g.gone}`,
          'could not be delivered. The problem appears to be:',
          `-- ${g.why}`,
          '',
          `Message-ID: ${g.about}`,
        ],
      ),
    }),
  },
  {
    name: 'amazon ses',
    make: (g) => ({
      source: standard(
        g,
        'MAILER-DAEMON@river.test',
        'Delivery Status Notification (Failure)',
        `An error occurred while trying to deliver the mail to the following recipients:\r\n${g.gone}`,
        [
          `Final-Recipient: rfc822;${g.gone}`,
          'Action: failed',
          `Status: ${g.status}`,
          `Diagnostic-Code: smtp; ${g.why}`,
        ],
        wholeMail(g),
      ),
    }),
  },
  {
    name: 'a status alone',
    make: (g) => ({
      source: plain(
        g,
        DAEMON,
        'Delivery failure',
        ['Reporting-MTA: dns; mx.test', '', ...block(g), `X-Original-Message-ID: ${g.about}`],
        'Content-Type: message/delivery-status',
      ),
    }),
  },
  {
    name: 'a status in the text',
    make: (g) => ({
      source: plain(g, DAEMON, 'Undeliverable mail', [
        'Your mail could not be delivered.',
        '',
        ...block(g),
        '',
        `> Message-ID: ${g.about}`,
      ]),
    }),
  },
  {
    name: 'a status in base64',
    make: (g) => ({
      source: `${daemonHead(g, DAEMON, 'Delivery Failure', 'Content-Type: multipart/report; boundary=b64; report-type="delivery-status"')}\r\n${multipart(
        'b64',
        [
          { type: 'text/plain', body: 'failed' },
          {
            type: 'message/delivery-status',
            body: base64Lines(Buffer.from(lines('Reporting-MTA: dns; a.test', '', ...block(g)))),
            more: ['Content-Transfer-Encoding: base64'],
          },
          wholeMail(g),
        ],
      )}`,
    }),
  },
  {
    name: 'without its type',
    make: (g) => ({
      source: `${daemonHead(g, DAEMON, 'Undeliverable: Our offer', 'Content-Type: multipart/mixed; boundary=m')}\r\n${multipart(
        'm',
        [
          { type: 'text/plain', body: `Delivery has failed to these recipients:\r\n\r\n${g.gone}\r\n${g.why}` },
          wholeMail(g),
        ],
      )}`,
    }),
  },
  {
    name: 'in HTML alone',
    make: (g) => ({
      source: plain(
        g,
        'Mail Delivery System <postmaster@web.test>',
        'Undeliverable: Our offer',
        [
          `<html><body><p>Delivery has failed to these recipients:</p><p><a href="mailto:${g.gone}">${g.gone}</a></p><p>${g.why}</p><p>Message-ID: ${g.about.replace('<', '&lt;').replace('>', '&gt;')}</p></body></html>`,
        ],
        'Content-Type: text/html; charset=utf-8',
      ),
    }),
  },
  {
    name: 'X.400 in the last place',
    make: (g) => ({
      source: standard(
        g,
        DAEMON,
        'Delivery Report',
        'Not delivered.',
        [
          `Original-Recipient: rfc822;${g.gone}`,
          'Final-Recipient: x400; /G=Ana/S=Ruiz/O=SHOP/C=ES/',
          'Action: failed',
          `Status: ${g.status}`,
          `Diagnostic-Code: smtp; ${g.why}`,
        ],
        wholeMail(g),
      ),
    }),
  },
  {
    name: 'delivered',
    make: (g) => ({
      source: standard(
        g,
        DAEMON,
        'Successful Mail Delivery Report',
        'It was delivered.',
        block({ ...g, status: '2.0.0', why: '250 2.0.0 Ok' }, 'delivered'),
        headOnly(g),
      ),
      expect: { action: 'delivered', status: '2.0.0' },
    }),
  },
  {
    name: 'given up after days',
    make: (g) => ({
      source: standard(
        g,
        DAEMON,
        'Undelivered Mail Returned to Sender',
        'Given up.',
        block({ ...g, status: '4.4.7', why: 'delivery time expired' }),
        wholeMail(g),
      ),
      expect: { status: '4.4.7' },
    }),
  },
  {
    name: 'a mailbox that is full',
    make: (g) => ({
      source: plain(
        g,
        'postmaster@voll.test',
        'Mail delivery failed',
        [
          `Ihre Nachricht an ${g.gone} konnte nicht zugestellt werden:`,
          '552 5.2.2 Mailbox is full',
          '',
          `Message-ID: ${g.about}`,
        ],
        'Content-Type: text/plain; charset=utf-8',
      ),
      expect: { status: '5.2.2' },
    }),
  },
]

const WHYS = [
  ['5.1.1', '550 5.1.1 No such user here'],
  ['5.1.1', '550 5.1.1 User unknown'],
  ['5.2.1', '550 5.2.1 The mailbox is disabled'],
  ['5.7.1', '554 5.7.1 Refused by policy'],
  ['5.2.2', '552 5.2.2 Over quota'],
] as const

export const bounceMakers: [string, Maker][] = BOUNCES.map(({ name, make }) => [
  `bounce: ${name}`,
  (setting) => {
    const { random } = setting
    const [status, why] = random.pick(WHYS)
    const gone = `${random.word()}.${random.word()}@${random.word()}.example`
    const about = `<${random.word()}.${setting.n}@crm.example>`
    const { source, expect } = make({ ...setting, gone, about, status, why })
    return {
      source,
      expect: {
        messageId: setting.id,
        recipient: gone,
        action: 'failed',
        status,
        about,
        ...expect,
      },
    }
  },
])
