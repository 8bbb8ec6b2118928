"""Pages deals, makes one, sends a message with a file, and stores a transcript."""

import os
from base64 import b64encode

from dealbox_client import ApiClient, Configuration, models
from dealbox_client.api import DealsApi, ListsApi, MeetingsApi, MessagesApi

client = ApiClient(Configuration(host=os.environ["API"], access_token=os.environ["TOKEN"]))
deals, meetings = DealsApi(client), MeetingsApi(client)

count, cursor, more = 0, None, True
while more:
    page = deals.list_deals(status="open", amount_gte=0.01, owner_id_ne="null", limit=20, cursor=cursor)
    assert all(deal.amount is not None for deal in page.data)
    count, cursor = count + len(page.data), page.next_cursor
    more = cursor is not None
assert count > 20, count

made = deals.create_deal(models.CreateDealRequest(title="Rollout", amount=123456789.12, currency="EUR"))
assert deals.get_deal(made.id).amount == 123456789.12

message = MessagesApi(client).create_message(
    models.CreateMessageRequest(
        direction="inbound",
        channel="chat",
        var_from=models.MessageSender(email="eva@firm.example"),
        body_text="Hello",
        attachments=[models.AttachmentInput(name="offer.txt", data=b64encode(b"An offer").decode())],
    )
)
assert message.attachments[0].size_bytes == 8

meeting = meetings.create_meeting(
    models.CreateMeetingRequest(title="Demo", starts_at="2026-11-20T09:00:00Z", ends_at="2026-11-20T10:00:00Z")
)
segment = models.TranscriptSegmentInput(start_ms=0, end_ms=2400, text="Good morning.")
transcript = meetings.replace_transcript(meeting.id, models.ReplaceTranscriptRequest(segments=[segment]))
assert transcript.segments[0].text == "Good morning."

assert any(each.filter is not None for each in ListsApi(client).list_lists().data)
