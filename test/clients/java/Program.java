import dealbox.ApiClient;
import dealbox.api.*;
import dealbox.model.*;
import java.time.OffsetDateTime;
import java.util.Arrays;

/** Pages deals, makes one, sends a message with a file, and stores a transcript. */
public class Program {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient().setBasePath(System.getenv("API"));
    client.setBearerToken(System.getenv("TOKEN"));
    DealsApi deals = new DealsApi(client);

    int count = 0;
    DealPage page = null;
    do {
      DealsApi.APIlistDealsRequest request = deals.listDeals().status("open").amountGte(0.01).ownerIdNe("null").limit(20L);
      page = (page == null ? request : request.cursor(page.getNextCursor())).execute();
      count += page.getData().size();
    } while (page.getNextCursor() != null);
    check(count > 20);

    Deal made = deals.createDeal(new CreateDealRequest().title("Rollout").amount(123456789.12)).execute();
    check(deals.getDeal(made.getId()).execute().getAmount() == 123456789.12);

    AttachmentInput file = new AttachmentInput().name("offer.txt").data("QW4gb2ZmZXI=");
    CreateMessageRequest message = new CreateMessageRequest().bodyText("Hello").attachments(Arrays.asList(file))
        .direction(CreateMessageRequest.DirectionEnum.INBOUND).channel(CreateMessageRequest.ChannelEnum.CHAT)
        .from(new MessageSender().email("eva@firm.example"));
    check(new MessagesApi(client).createMessage(message).execute().getAttachments().get(0).getSizeBytes() == 8);

    MeetingsApi meetings = new MeetingsApi(client);
    OffsetDateTime starts = OffsetDateTime.parse("2026-11-20T09:00:00Z");
    Meeting meeting = meetings.createMeeting(
        new CreateMeetingRequest().title("Demo").startsAt(starts).endsAt(starts.plusHours(1))).execute();
    TranscriptSegmentInput segment = new TranscriptSegmentInput().startMs(0L).endMs(2400L).text("Good morning.");
    Transcript transcript = meetings.replaceTranscript(
        meeting.getId(), new ReplaceTranscriptRequest().segments(Arrays.asList(segment))).execute();
    check(transcript.getSegments().get(0).getText().equals("Good morning."));

    check(new ListsApi(client).listLists().execute().getData().stream().anyMatch(each -> each.getFilter() != null));
    System.exit(0); // without waiting for the threads of the client
  }

  static void check(boolean isTrue) {
    if (!isTrue) throw new AssertionError();
  }
}
