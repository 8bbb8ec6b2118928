// The long texts of the OpenAPI document, in Markdown.

export const DESCRIPTION = `The public interface of Dealbox, a CRM server in one executable. Everything lies under
\`/api/v1\`, takes and answers JSON, and refuses what it does not know: a typo never returns the wrong records.

## Authentication

Every request carries \`Authorization: Bearer <token>\`. A token belongs to a member of one organisation and reaches the
records of that organisation only. Tokens are made on the machine that serves.

\`\`\`sh
dealbox token create --email ana@example.com --scope all
\`\`\`

\`--scope\` takes \`all\`, or names such as \`rest.crm.deals.read,rest.crm.deals.write\`, and \`--expires\` how long the
token holds, such as \`90d\`. Each operation says which scope it needs; a write scope does not imply the read scope,
but the answer to a write is the record all the same. \`dealbox token revoke ID\` ends a token from the next request on.

**What shows other records needs their read scope, too.** To write the filter of a smart list and to see its members
takes the scopes to read the records that it lists and those that it names (\`company.<field>\`); without them
\`member_count\` is null, and \`list_id\` and the enrolling of a list are 403. An event type of a webhook takes the
scope to read its records when the webhook is made, asks for other events or gets another URL, and \`*\` takes all of
them; the stream of events leaves out what the token may not read. \`q\` of meetings looks into transcripts only with
\`rest.meetings.transcript.read\`, and the deals that a sequence has won are null without \`rest.crm.deals.read\`. A
company's name is not among these: contacts are searched by it with \`rest.crm.contacts.read\` alone.

## Data

- **Ids** are UUIDs (version 7), assigned by the server.
- **Times** are RFC 3339 in UTC with milliseconds, \`2026-11-20T08:36:00.000Z\`; dates are \`2026-11-20\`.
- **Amounts** are numbers in major units: \`25000\` is 25,000.00. What is accepted comes back to the last digit.
- **Text** is kept in NFC, without the character NUL.
- **Unknown** parameters, and unknown or read-only members of a body, are refused.
- **A body** has at most 1 MiB, 32 levels, 1,000 items in an array and 10,000 values, unless the operation says
  otherwise; longer arrays come with ten times as many values. Slow connections are fine from 8 KiB per second on. All
  bodies together hold at most 256 MiB of memory; one that finds no room is 503 \`overloaded\`, with \`Retry-After\`.
- **Other forms** of a record, such as iCalendar and WebVTT, are asked for with \`Accept\`, where its operation has
  them. They have no \`ETag\`.

## Pages

A list is \`{"data": [...], "next_cursor": "..."}\`. \`limit\` sets the size of a page, and \`next_cursor\`, given back as
\`cursor\` with the same filters and the same sort, leads to the next one; it is null on the last. While records come and
go, a walk through all pages shows every record that was there throughout exactly once. \`count=true\` adds \`total\`.

Newest first, unless \`sort\` names a field; \`-\` in front of it is descending. Records without a value come last, both
ways.

## Filters

A filter is a query parameter. Several are joined by "and", and some take an operator in brackets:

- \`status=won\` has this value; \`owner_id=null\` has none.
- \`status[ne]=won\` has another value, or none.
- \`stage[in]=a,b\` has one of up to 100 values.
- \`amount[gt]\`, \`amount[gte]\`, \`amount[lt]\` and \`amount[lte]\` compare: greater, at least, less, at most.

\`\`\`http
GET /api/v1/deals?status=open&amount[gte]=1000&sort=-amount&limit=20
\`\`\`

Lists of contacts, companies and deals are filtered and sorted by **custom fields** too: \`custom_fields.<key>\` is the
name of a filter and of a sort.

**Search.** \`q\` looks for words, without regard to case and accents: each has to begin a word of the record, and all
of them have to be found. Letters and digits are words, all else only stands between them. Contacts and companies are
found by any four digits in a row of a phone number, however it is written.

**Lists.** \`list_id\` gives the records of a list, together with all other filters and sorts.

In a shell, put the address in quotes; curl needs \`-g\` to leave the brackets alone.

## Changes

A \`PATCH\` is a JSON Merge Patch (RFC 7396): what is absent stays, \`null\` clears, arrays are replaced whole. One that
changes nothing writes nothing.

**Safe to repeat.** A \`POST\` or \`PATCH\` with an \`Idempotency-Key\` is carried out once: for 24 hours, a repeat gets
the stored answer, with \`Idempotency-Replayed: true\`. Only successes are stored; what was refused can be tried again.

**Two at once.** The \`ETag\` of a record is its version. Send it as \`If-Match\` and a change is made to that version
only, else it is 412. Send it as \`If-None-Match\` with a \`GET\`, and an unchanged record is 304 without a body.

## Inbox

A message opens a conversation, or goes into one. What comes in makes it \`open\` again, whatever it was, and counts as
unread until \`read_at\`; \`waiting_since\` says since when somebody waits for an answer. A conversation that is
\`snoozed\` wakes up by itself.

**Promises.** The first policy of \`GET /sla\` that matches a conversation promises when it is answered first, then each
time, and when it is closed, by its priority and in the time of the policy's hours. The due times in \`sla\` stand still
(null) in the statuses of \`pause_on\`, and are counted anew, from the original start, when the priority, the policy or
the hours change. When four fifths are used up there is an event \`conversation.sla_at_risk\`, and
\`conversation.sla_breached\` when a promise is broken: once each. A broken one stays in \`breaches\`.

**Mail.** An outbound message of a conversation by email is \`queued\`, and \`sent\` or \`failed\` a little later, which
\`message.sent\` and \`message.failed\` tell; while it waits, \`error\` has the reason of the last try. It answers who
waits at once, and no longer when it has failed. Mails that come in find their conversation by what they answer
(\`In-Reply-To\`, \`References\`). What a machine wrote (\`is_automatic\`) is shown, and changes nothing else; the report
of a failed delivery makes the mail that it is about \`failed\`.

## Outreach

A sequence is a series of emails, tasks and calls, and is set up in the settings. \`POST /enrollments\` begins it for
one contact, for up to 100, or for a list; whoever cannot be enrolled is \`skipped\` with the reason. An enrollment is
\`scheduled\` until its first step, then \`active\`, and stays on the version of the steps that it began with. It
ends \`completed\`, or \`stopped\` with a \`stop_reason\`: by a person (\`PATCH\`), or by what \`stop_on\` of its
sequence names. Steps are done once each; emails leave in the \`send_window\`, one behind the other where the mailbox is
set up so.

## Events

Every change writes an event, in the transaction of the change. It reaches others by **webhook**, or by **pulling** the
stream, and looks the same on both ways:

\`\`\`json
{
  "id": "01a1f819-2588-7463-8f3e-2f0a7b1f8f3e",
  "seq": 4711,
  "type": "deal.stage_changed",
  "timestamp": "2026-11-20T08:36:00.000Z",
  "actor": { "type": "member", "id": "01a1f819-1d2c-7a10-9b7e-6a1f0c2d3e4f" },
  "data": {
    "object": { "id": "01a1f7d0-93a4-7c55-8e21-0c9b8a7d6e5f", "title": "Rollout of 40 seats", "version": 7 },
    "changed_fields": ["stage", "stage_changed_at"],
    "previous": { "stage": "01a1f6aa-1111-7222-8333-444455556666", "stage_changed_at": "2026-11-02T10:00:00.000Z" }
  }
}
\`\`\`

\`object\` is the whole record as it was then. One change makes one event, with its most specific name; who asks for
\`deal.updated\` gets \`deal.stage_changed\` and \`deal.closed\`, too, and with \`task.updated\` comes
\`task.completed\`, and with \`conversation.updated\` all of a conversation but \`conversation.created\`, and with
\`enrollment.updated\` all of an enrollment but \`enrollment.created\`. \`seq\` counts up by one in an organisation: nothing is missing, and what was rolled back is not
there. Events are kept for 30 days, unless the server says otherwise.

**Deliveries** are signed as [Standard Webhooks](https://www.standardwebhooks.com) has it. \`webhook-signature\` holds
\`v1,\` and the Base64 of an HMAC-SHA256 over \`<webhook-id>.<webhook-timestamp>.<body>\`, keyed with the bytes that
follow \`whsec_\` in Base64; after a rotation of the secret there are two for 24 hours, with a space between. Answer
with a status of 2xx within 15 seconds. Anything else is tried again after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20
and 24 hours, and \`Retry-After\` is heeded; redirects are not followed, and 410 ends it. Deliveries come at least
once: the same \`webhook-id\` is the same event. Events of one record come in their order. After ten failures in a row
there is one probe every 5 minutes until the receiver is back, and after five days the webhook is \`disabled\`.

## Errors

Errors are problem details (RFC 9457) as \`application/problem+json\`. \`code\` is stable, for programs; \`detail\` says
what to do, for people. A 422 names every field that breaks a rule.

\`\`\`json
{
  "type": "urn:dealbox:problem:invalid_fields",
  "title": "Unprocessable Entity",
  "status": 422,
  "detail": "/title must not be empty.",
  "code": "invalid_fields",
  "request_id": "5f0c2f6e-8d0b-4a54-9d06-2f0a7b1f8f3e",
  "errors": [{ "pointer": "/title", "code": "empty", "message": "must not be empty" }]
}
\`\`\`

\`X-Request-Id\` is on every answer and in the log of the server; send your own to find a request again.`

/** For lists of records with custom fields, which the document cannot list. */
export const CUSTOM_LIST = `Custom fields of the organisation are filters as well, \`custom_fields.<key>\`: a \`number\`
and a \`date\` take \`[ne]\`, \`[gt]\`, \`[gte]\`, \`[lt]\` and \`[lte]\`, a \`datetime\` the same without
\`[ne]\`, a \`multi_select\` takes \`[in]\` and has one of the options, a \`boolean\` takes no operator, and all
others take \`[ne]\` and \`[in]\`; \`null\` is no value. Texts, web addresses, emails and phone numbers are compared
without case and accents, by their first 255 characters. \`sort=custom_fields.<key>\` works for all but
\`multi_select\`.`

/** The form of a sort by a custom field. */
export const CUSTOM_SORT = '^-?custom_fields\\.[a-z][a-z0-9_]{0,62}$'
