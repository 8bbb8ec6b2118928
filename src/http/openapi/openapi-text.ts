// The long texts of the OpenAPI document, in Markdown.

export const DESCRIPTION = `The API of Dealbox, a CRM server in one executable. All paths start with
\`/api/v1\`. Requests and responses are JSON. Unknown parameters and fields are errors, so a typo never returns the wrong records.

## Authentication

Every request needs the header \`Authorization: Bearer <token>\`. A token belongs to a member of one organisation and gives
access to the records of that organisation only. Create tokens on the server:

\`\`\`sh
dealbox token create --email ana@example.com --scope all
\`\`\`

\`--scope\` takes \`all\`, or scopes such as \`rest.crm.deals.read,rest.crm.deals.write\`. \`--expires\` sets how long the
token is valid, for example \`90d\`. Each operation names the scope that it needs. A write scope does not include the read
scope, but the response to a write contains the record. \`dealbox token revoke ID\` revokes a token from the next request on.

**A token that ends** is announced: 14 and 2 days before, its owner and the owners of the organisation get a notice in the browser
app, and \`dealbox doctor\` and the metrics of the server count it, unless it was made for no longer than that. In the last 14 days
each response has \`Dealbox-Token-Ends\`, the time when that is; \`expires_at\` of \`GET /members/me\` is the same at any time.

**Whatever shows other records needs their read scope, too.** To write the filter of a smart list and to see its members,
a token needs the scopes to read the listed records and the companies that the filter names (\`company.<field>\`). Without
them, \`member_count\` is null, and \`list_id\` and enrolling a list return 403. An event type of a webhook needs the
scope to read its records when the webhook is created, when its event types change and when its URL changes; \`*\` needs
all read scopes. The event stream omits events that the token may not read. \`q\` of meetings searches transcripts only
with \`rest.meetings.transcript.read\`. The won deals of a sequence are null without \`rest.crm.deals.read\`. Company names
are an exception: \`q\` of contacts searches them with \`rest.crm.contacts.read\` alone.

## Data

- **Ids** are UUIDs (version 7), assigned by the server.
- **Times** are RFC 3339 in UTC with milliseconds, \`2026-11-20T08:36:00.000Z\`. Dates are \`2026-11-20\`.
- **Amounts** are numbers in major units: \`25000\` is 25,000.00. Accepted amounts are returned exactly, to the last digit.
- **Text** is stored in Unicode NFC. The NUL character is not allowed.
- **Unknown** parameters, and unknown or read-only fields of a body, are errors.
- **Request bodies** have at most 1 MiB, 32 levels of nesting, 1,000 items per array and 10,000 values, unless the
  operation says otherwise; where longer arrays are allowed, so are ten times as many values. Slow connections work from
  8 KiB per second on. All request bodies together can use 256 MiB of memory; above that, the response is 503
  \`overloaded\` with \`Retry-After\`.
- **Other formats**, such as iCalendar and WebVTT, are available with \`Accept\` where the operation lists them. They have
  no \`ETag\`.

## Pages

A list is \`{"data": [...], "next_cursor": "..."}\`. \`limit\` sets the size of a page. To get the next page, send
\`next_cursor\` as \`cursor\`, with the same filters and sort; it is null on the last page. If you read all pages while
records are added and deleted, you get every record that was there throughout exactly once. \`count=true\` adds \`total\`.

Lists are sorted by newest first, by \`id\`, unless \`sort\` names a field. A leading \`-\` means descending order. Records
without a value come last in both directions.

**Changes in between.** "Exactly once" has one exception: a record whose value in the \`sort\` field changes while you read the
pages can change its place, from a page still to come to one that you have, and be missed; or the other way round, and come
twice. Two ways have no exception:

- The order by \`id\`, which never changes: that is the default, and \`sort=created_at\`.
- \`sort=updated_at\` with \`updated_at[gt]\`, as a poll: what changes moves to a page still to come. Begin each poll a second before
  the newest \`updated_at\` that you had when the poll before it began; what comes again unchanged has the same \`version\`. A
  poll does not show deletions, which the event stream does.

Each response has the header \`Dealbox-Seq\`, the number of the newest event that it knows of. To keep a copy of the records,
read all pages, and then the event stream with the smallest of these numbers as \`after_seq\`: the stream has whatever changed in
the meantime. Apply an event only if its \`version\` is higher than that of the record that you have.

## Filters

A filter is a query parameter. Several filters are combined with "and". Some have operators in brackets:

- \`status=won\` matches this value, \`owner_id=null\` a missing value.
- \`status[ne]=won\` matches any other value, or none.
- \`stage[in]=a,b\` matches one of up to 100 values.
- \`amount[gt]\`, \`amount[gte]\`, \`amount[lt]\` and \`amount[lte]\` compare: greater than, at least, less than, at most.

\`\`\`http
GET /api/v1/deals?status=open&amount[gte]=1000&sort=-amount&limit=20
\`\`\`

Lists of contacts, companies and deals can also be filtered and sorted by **custom fields**: \`custom_fields.<key>\` is the
name of the filter and of the sort.

**Search.** \`q\` searches for words, ignoring case and accents. Every word of the query must be the beginning of a word
in the record; in scripts that put no spaces between words, such as Chinese and Thai, it may begin and end at any letter. Words
consist of letters and digits; all other characters separate them. Apostrophes may be left out, and \`ue\`, \`oe\`, \`ae\` and \`aa\`
stand for letters such as \`ü\`, \`ø\`, \`ä\` and \`å\`. Contacts and companies are also
found by any four consecutive digits of a phone number, whatever its format, and by the
whole number in any notation: with the code of its country, or without it if that is the country of the organisation.

**Lists.** \`list_id\` returns the records of a list, and can be combined with all other filters and sorts. A filter that has to test
too many records is 503 \`filter_too_slow\`: use fewer conditions, or add one that leaves fewer records to be tested.

What cannot be a value of a filter, such as \`email=ana\`, is 400, never an empty list. In a URL, \`+\` is a space, so write it
\`%2B\`: \`email=ana%2Bcrm@example.com\`, \`phone=%2B49301234567\`.

In a shell, quote the URL, and use \`-g\` with curl so that it does not interpret the brackets.

## Changes

A \`PATCH\` is a JSON Merge Patch (RFC 7396): absent fields keep their values, \`null\` clears a field, and arrays are
replaced. A \`PATCH\` without changes writes nothing.

**Idempotency.** A \`POST\` or \`PATCH\` with an \`Idempotency-Key\` is executed once. For 24 hours, a repeat returns the
stored response with \`Idempotency-Replayed: true\`. Only successful responses are stored, so you can retry a rejected
request.

**Concurrent changes.** The \`ETag\` of a record is its version. Send it as \`If-Match\` to change only that version; if the
record has changed, the response is 412. Send it as \`If-None-Match\` with a \`GET\` to get 304 without a body if the
record has not changed.

## Inbox

A message opens a conversation or joins one. An inbound message sets the status to \`open\`, whatever it was, and counts as
unread until \`read_at\`. \`waiting_since\` is the time since when the contact has been waiting for an answer. A
\`snoozed\` conversation reopens automatically.

**SLA targets.** The first policy of \`GET /sla\` that matches a conversation sets targets for the first answer, each
later answer and the resolution, depending on its priority and counted in the business hours of the policy. In the
statuses of \`pause_on\`, the clock is paused and the due times in \`sla\` are null. Due times are recalculated from the
original start when the priority, the policy or the business hours change. When four fifths of the time have passed, the
event \`conversation.sla_at_risk\` is created, and \`conversation.sla_breached\` when a target is missed: once each.
\`breaches\` lists missed targets permanently.

**Mail.** An outbound message of an email conversation is \`queued\` first, and \`sent\` or \`failed\` soon after. The
events \`message.sent\` and \`message.failed\` report the result. While it is queued, \`error\` is the reason why the last
attempt failed. The message counts as an answer at once, and no longer if it fails. Inbound mails are added to the
conversation that they reply to (\`In-Reply-To\`, \`References\`). Automatic messages (\`is_automatic\`) are shown, but
change nothing else. A report of a failed delivery sets the original message to \`failed\`.

## Outreach

A sequence is a series of emails, tasks and calls that is configured in the settings. \`POST /enrollments\` enrolls one
contact, up to 100, or a list; contacts that cannot be enrolled are \`skipped\` with the reason. An enrollment is
\`scheduled\` until its first step and then \`active\`, and keeps the version of the steps that it started with. It ends
as \`completed\`, or as \`stopped\` with a \`stop_reason\`: by a \`PATCH\`, or by a stop rule in \`stop_on\` of its
sequence. Each step runs exactly once. Emails are sent within the \`send_window\`, and with a pause between them if the
mailbox has a spacing.

## Events

Every change creates an event in the same transaction. Receive events by **webhook**, or **poll** the event stream. Their
format is the same:

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

\`object\` is the whole record after the change. One change creates one event, with its most specific type. A
subscription to \`deal.updated\` includes \`deal.stage_changed\` and \`deal.closed\`, one to \`task.updated\` includes
\`task.completed\`, one to \`conversation.updated\` all events of a conversation except \`conversation.created\`, and one
to \`enrollment.updated\` all events of an enrollment except \`enrollment.created\`. \`seq\` increases by one with each
event of the organisation, without gaps; changes that were rolled back have no event. After a failover it continues at
the next billion. Events are stored for 30 days,
unless the server is configured otherwise.

**Deliveries** are signed according to [Standard Webhooks](https://www.standardwebhooks.com). \`webhook-signature\`
contains \`v1,\` and the Base64 of an HMAC-SHA256 over \`<webhook-id>.<webhook-timestamp>.<body>\`. The key is what
follows \`whsec_\`, decoded from Base64. For 24 hours after a rotation of the secret, there are two signatures, separated
by a space. Respond with a 2xx status within 15 seconds. Otherwise the delivery is retried after 5 seconds, 5 and 30
minutes, 2, 5, 10, 14, 20 and 24 hours; \`Retry-After\` is respected. Redirects are not followed, and 410 disables the
webhook. Each event is delivered at least once: the same \`webhook-id\` means the same event. Events of one record are
delivered in order. After ten failures in a row, the receiver is probed every 5 minutes until it is back; after five days,
the webhook is \`disabled\`.

## Errors

Errors are problem details (RFC 9457) with the media type \`application/problem+json\`. \`code\` is stable and meant for
programs; \`detail\` tells people what to do. A 422 lists every invalid field in \`errors\`.

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

Every response has an \`X-Request-Id\`, which is also in the log of the server. Send your own to find a request there.

Every response of Dealbox, errors too, has a \`Dealbox-Echo\`. One without it comes from something in front of the server, such
as a proxy, a sign-in gate or a firewall, and says nothing about the request: a 404 of a proxy does not mean that a record is
gone, and a 401 of a gate not that the token is invalid. Send up to 64 letters, digits, \`-\` and \`_\` as
\`Dealbox-Echo\` to get them back; a response with others was kept for another request. A request that sends none gets
\`none\`.`

/** For lists of records with custom fields, which the document cannot list. */
export const CUSTOM_LIST = `Custom fields of the organisation are filters as well, as \`custom_fields.<key>\`. \`number\` and
\`date\` fields support \`[ne]\`, \`[gt]\`, \`[gte]\`, \`[lt]\` and \`[lte]\`; \`datetime\` fields the same without
\`[ne]\`. A \`multi_select\` field supports \`[in]\` and matches if it contains one of the options; a \`boolean\` field has
no operators. All other types support \`[ne]\` and \`[in]\`. \`null\` matches a missing value. Texts, web addresses,
emails and phone numbers are compared ignoring case and accents, by their first 255 characters. \`sort=custom_fields.<key>\`
works for all types except \`multi_select\`.`

/** The pattern of a sort by a custom field, without its direction. */
export const CUSTOM_SORT = 'custom_fields\\.[a-z][a-z0-9_]{0,62}'
