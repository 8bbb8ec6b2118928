import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SmtpFailure } from '../../../../src/lib/mail/transport/error-messages.ts'
import { type Cause, causeOf } from '../../../../src/lib/mail/transport/refusals.ts'

// Replies as providers and mail servers have them, by the command that they answered.

type Case = [command: 'CONN' | 'AUTH PLAIN' | 'MAIL FROM' | 'RCPT TO' | 'DATA', reply: string]

const CASES: Record<Exclude<Cause, 'doubtful'>, Case[]> = {
  limited: [
    // Gmail and Google Workspace
    [
      'DATA',
      '550 5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits go to 0 - gsmtp',
    ],
    ['DATA', '550-5.4.5 Daily user sending quota exceeded. o65sm25351206pga.71 - gsmtp\r\n550 5.4.5 see support'],
    ['MAIL FROM', '550 5.4.5 Daily SMTP relay limit exceeded for user.'],
    ['RCPT TO', '421 4.7.28 Gmail has detected an unusual rate of mail'],
    ['AUTH PLAIN', '454 4.7.0 Too many login attempts, please try again later.'],
    // Exchange Online, Outlook.com
    ['DATA', '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed to process message'],
    [
      'DATA',
      '554 5.2.2 mailbox full; STOREDRV.Submission.Exception:QuotaExceededException.MapiExceptionShutoffQuotaExceeded',
    ],
    ['DATA', '432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded'],
    ['DATA', '550 5.2.251 Sender throttled due to continuous mailbox full errors.'],
    ['DATA', '550 5.1.8 Access denied, bad outbound sender'],
    ['DATA', '550 5.7.232 - Your message cannot be sent because your trial tenant has exceeded its daily limit'],
    ['DATA', '550 5.7.705 Service unavailable. Access denied, tenant has exceeded threshold'],
    ['MAIL FROM', '421 4.4.2 Message submission rate for this client has exceeded the configured limit'],
    ['DATA', '554 5.2.252 SendAsDenied; not allowed to send as'],
    // Amazon SES
    ['DATA', '454 Throttling failure: Maximum sending rate exceeded.'],
    ['DATA', '454 Throttling failure: Daily message quota exceeded.'],
    ['DATA', '554 Message rejected: Sending suspended for this account. For more information, please check the inbox'],
    // QQ, 163, Alibaba
    ['DATA', '550 5.7.1 Connection frequency limited'],
    ['MAIL FROM', '550 Sender frequency limited'],
    ['RCPT TO', '550 Ip frequency limited'],
    ['DATA', '451 MI:SFQ 163 smtp5, too many messages from this sender'],
    ['DATA', '550 Exceed max sending rate'],
    // Hosters, and policy servers of Postfix and Exim
    ['DATA', '550 User me@site.example has exceeded its 24-hour sending limit. Messages to 25 recipients out of 25'],
    [
      'RCPT TO',
      '550 Domain site.example has exceeded the max emails per hour (200/200 (100%)) allowed. Message discarded.',
    ],
    ['RCPT TO', '450-Requested mail action not taken: mailbox unavailable\r\n450 Mail send limit exceeded.'],
    ['RCPT TO', '554 5.7.1 <ann@ex.test>: Recipient address rejected: You have exceeded your Outmail quota.'],
    ['RCPT TO', '550 5.7.1 <ann@ex.test>: Recipient address rejected: Email Sending Quota Exceeded'],
    ['RCPT TO', '450 4.7.1 <ann@ex.test>: Recipient address rejected: message count quota exceeded'],
    ['RCPT TO', '451 4.7.1 Ratelimit "bounce_to" exceeded'],
    ['RCPT TO', '421 4.7.1 Recipient quota exceeded'],
    ['RCPT TO', '450 4.7.1 Error: too much mail from 192.0.2.1'],
    ['RCPT TO', '550 Number recipients per hour exceeded'],
    ['DATA', '550 5.4.6 Unusual sending activity detected. Please try after sometime'],
    ['DATA', "451 4.7.1 You've reached your sending limit. You can send again soon."],
    ['AUTH PLAIN', '550 Too many messages. Try again in 92 seconds.'],
    ['AUTH PLAIN', '451 Authentication failed: Maximum credits exceeded'],
    ['DATA', '550 5.7.0 Requested action not taken: too many emails per second'],
    ['MAIL FROM', '502 5.7.0 Your SMTP account is not yet activated. Please contact us'],
    ['DATA', '554 5.7.0 Your account has sent all that it may send for now, come back in an hour'],
    ['DATA', '550 5.4.5 Daily limit of this account is used up'],
    ['DATA', '452 4.5.3 Too many recipients received this hour'],
    ['RCPT TO', '550 You have sent too many messages today'],
    ['RCPT TO', '450 4.7.1 Daily message limit reached'],
    ['MAIL FROM', '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume'],
    ['DATA', '451 4.7.500 Server busy. Please try again later from [192.0.2.1].'],
    ['CONN', '421 4.7.0 Too many connections from your network'],
    ['RCPT TO', '450 4.5.3 Too many recipients in the last hour'],
    ['RCPT TO', '550 5.7.1 Your account is disabled'],
    ['RCPT TO', '451 4.7.1 Too many messages, try again in 300 seconds'],
    ['MAIL FROM', '550 User sales is disabled'],
    ['RCPT TO', '550 5.1.90 You have reached your daily limit for message recipients'],
    ['RCPT TO', '550 User sales@site.example has sent 300 messages'],
    // The sender itself, which no other mail would change
    ['MAIL FROM', '550 5.1.8 Bad sender'],
    ['RCPT TO', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.lists.example'],
    ['RCPT TO', '550-Verification failed for <sales@acme.example>\r\n550 Sender verify failed'],
    ['MAIL FROM', '553 5.7.1 <sales@acme.example>: Sender address rejected: not owned by user sales'],
  ],
  refused: [
    ['RCPT TO', '550 5.1.1 No such user here'],
    [
      'RCPT TO',
      '550 5.1.1 <limit.exceeded@ex.test>: Recipient address rejected: User unknown in virtual mailbox table',
    ],
    ['RCPT TO', '550 5.1.1 <daily-quota@sending-limit.example>: User unknown'],
    ['RCPT TO', '552 5.2.2 The email account that you tried to reach is over quota'],
    ['RCPT TO', '552 5.2.2 Mailbox full'],
    ['DATA', '552 5.2.2 Quota exceeded'],
    ['RCPT TO', '550 5.2.1 The email account that you tried to reach is disabled'],
    ['RCPT TO', '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents more'],
    ['DATA', '554 5.7.1 Spam'],
    ['DATA', '550 5.7.1 Our system has detected that this message is likely unsolicited mail'],
    ['DATA', '550 5.7.1 A link in your message is on a list'],
    ['RCPT TO', '550 5.7.1 You are not on the list of people who may write to this group'],
    ['RCPT TO', '550 Requested action not taken: mailbox unavailable'],
    ['RCPT TO', '550 5.1.1 Mailbox does not exist, or the daily newspaper moved'],
    ['DATA', '550 5.7.1 Message rejected due to content restrictions'],
    ['DATA', '552 5.3.4 Message size exceeds fixed limit'],
    ['MAIL FROM', '552 5.3.4 Message size exceeds fixed maximum message size'],
    ['DATA', '552 5.2.3 Your message exceeded Google limits for its size'],
    ['DATA', '554 5.4.14 Hop count exceeded - possible mail loop'],
    ['RCPT TO', '554 5.7.1 <ann@ex.test>: Relay access denied'],
    ['DATA', '554 5.6.0 Too many header lines'],
    ['RCPT TO', '550 5.4.1 Recipient address rejected: Access denied'],
    ['RCPT TO', '550 5.1.1 User ann@ex.test is disabled'],
    ['RCPT TO', '550 5.1.6 You have exceeded the sending limit of this account'],
    ['RCPT TO', '550 This account is disabled'],
    ['RCPT TO', '550 5.7.1 This user is suspended'],
    ['RCPT TO', '550 account ann@ex.test is not activated'],
    ['RCPT TO', '552 user bob has exceeded his quota'],
    ['RCPT TO', '550 5.2.1 Account blocked, too many messages'],
    ['DATA', '550 Message blocked: exceeds spam threshold'],
    ['DATA', '550 5.7.1 Rejected, the score for spam is over the limit'],
    ['DATA', '552 5.5.3 Too many recipients'],
  ],
  unclear: [
    ['DATA', '554 5.7.0 Not now'],
    ['RCPT TO', '550 5.7.0 Policy'],
    // An account or a limit, and not whose
    ['DATA', '550 5.7.1 Quota exceeded'],
    ['DATA', '550 5.7.1 User ann is disabled'],
    ['DATA', '554 This account is suspended'],
    ['RCPT TO', '550 5.7.1 Too many messages'],
    ['RCPT TO', '550 Limit reached'],
  ],
  deferred: [
    ['RCPT TO', '450 4.1.2 <ann@typo.example>: Recipient address rejected: Domain not found'],
    ['RCPT TO', '450 4.2.0 <ann@ex.test>: Recipient address rejected: Greylisted, see http://postgrey.example'],
    ['RCPT TO', '451 4.7.1 Greylisting in action, please come back in 00:05:00'],
    ['RCPT TO', '451 4.7.1 Come back later'],
    ['RCPT TO', '451 4.7.1 Try again in 300 seconds'],
    ['RCPT TO', '450 4.7.0 Not yet, come back in five minutes'],
    ['DATA', '451 4.7.1 Try again in 300 seconds'],
    ['RCPT TO', '452 4.5.3 Too many recipients'],
    ['RCPT TO', '452 Too many recipients'],
    ['RCPT TO', '552 5.5.3 Error: too many recipients'],
    ['RCPT TO', '450 4.2.1 User ann@ex.test is disabled at the moment'],
    ['RCPT TO', '450 4.1.1 You have sent too many messages to this user'],
    ['RCPT TO', '452 4.2.2 The email account that you tried to reach is over quota'],
    ['RCPT TO', '450 4.2.1 The recipient has exceeded message rate limit. Try again later.'],
    ['RCPT TO', '450 4.2.1 The user you are trying to contact is receiving mail too quickly. Please resend later'],
    ['RCPT TO', '451 4.3.0 <ann@ex.test>: Temporary lookup failure'],
    ['RCPT TO', '421 4.4.2 <ann@ex.test>: Timeout at the server of the recipient'],
    ['DATA', '450 4.2.0 Mailbox busy'],
    ['DATA', '451 4.4.1 No answer from the host of the recipient'],
  ],
  later: [
    ['MAIL FROM', '451 4.3.0 Busy'],
    ['MAIL FROM', '421 4.3.2 Closed for today'],
    ['MAIL FROM', '530 5.7.0 Log in first'],
    ['AUTH PLAIN', '535 5.7.8 Wrong user or password'],
    ['CONN', '421 busy'],
    ['CONN', '554 no'],
    ['DATA', '452 4.3.1 Disk full'],
    ['DATA', '421 bye'],
    ['DATA', '503 5.5.1 Out of order'],
  ],
}

for (const [cause, cases] of Object.entries(CASES))
  for (const [command, response] of cases)
    test(`${cause}: ${command} ${response.slice(0, 60)}`, () => {
      const failure = { command, response, responseCode: Number(response.slice(0, 3)) } as SmtpFailure
      assert.equal(causeOf(failure, command === 'DATA'), cause)
    })

test('without a reply it is the server, and behind the mail nobody knows', () => {
  const failure = { code: 'ECONNRESET', command: 'DATA' } as SmtpFailure
  assert.equal(causeOf(failure, false), 'later')
  assert.equal(causeOf(failure, true), 'doubtful')
})

test('421 that names the recipient, with which the session ended, is about the recipient', () => {
  const failure = { command: 'CONN', response: '421 4.4.2 <Ann@ex.test>: no answer', responseCode: 421 } as SmtpFailure
  assert.equal(causeOf(failure, false, ['ann@ex.test']), 'deferred')
  assert.equal(causeOf(failure, false, ['ben@ex.test']), 'later')
})
