"""Pages deals, makes one, sends a message with a file, and stores a transcript."""

import os
from base64 import b64encode
from datetime import datetime, timezone

from dealbox_client import AuthenticatedClient, models
from dealbox_client.api.deals import create_deal, get_deal, list_deals
from dealbox_client.api.lists import list_lists
from dealbox_client.api.meetings import create_meeting, replace_transcript
from dealbox_client.api.messages import create_message
from dealbox_client.types import UNSET

client = AuthenticatedClient(base_url=os.environ["API"], token=os.environ["TOKEN"])

count, cursor = 0, UNSET
while cursor is not None:
    page = list_deals.sync(client=client, owner_idne="null", amountgte=0.01, limit=20, cursor=cursor)
    assert all(deal.amount is not None for deal in page.data)
    count, cursor = count + len(page.data), page.next_cursor
assert count > 20, count

body = models.CreateDealRequest(title="Rollout", amount=123456789.12, currency="EUR")
made = create_deal.sync(client=client, body=body)
assert get_deal.sync(made.id, client=client).amount == 123456789.12

message = create_message.sync(
    client=client,
    body=models.CreateMessageRequest(
        direction=models.CreateMessageRequestDirection.INBOUND,
        channel=models.CreateMessageRequestChannel.CHAT,
        from_=models.MessageSender(email="eva@firm.example"),
        body_text="Hello",
        attachments=[models.AttachmentInput(name="offer.txt", data=b64encode(b"An offer").decode())],
    ),
)
assert message.attachments[0].size_bytes == 8

starts, ends = (datetime(2026, 11, 20, hour, tzinfo=timezone.utc) for hour in (9, 10))
meeting = create_meeting.sync(
    client=client, body=models.CreateMeetingRequest(title="Demo", starts_at=starts, ends_at=ends)
)
segment = models.TranscriptSegmentInput(start_ms=0, end_ms=2400, text="Good morning.")
transcript = replace_transcript.sync(
    meeting.id, client=client, body=models.ReplaceTranscriptRequest(segments=[segment])
)
assert transcript.segments[0].text == "Good morning."

assert any(each.filter_ is not None for each in list_lists.sync(client=client).data)
