// Pages deals, makes one, sends a message with a file, and stores a transcript.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	ctx := context.Background()
	token := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("API"), WithRequestEditorFn(token))
	check(err == nil, err)

	deals := 0
	status, nobody, least := ListDealsParamsStatusOpen, "null", 0.01
	limit := int64(20)
	params := ListDealsParams{Limit: &limit, Status: &status, AmountGte: &least, OwnerIdNe: &nobody}
	for more := true; more; more = params.Cursor != nil {
		page, err := client.ListDealsWithResponse(ctx, &params)
		check(err == nil && page.JSON200 != nil, err, page)
		deals += len(page.JSON200.Data)
		params.Cursor = page.JSON200.NextCursor
	}
	check(deals > 20, deals)

	amount := 123456789.12
	made, err := client.CreateDealWithResponse(ctx, nil, CreateDealRequest{Title: "Rollout", Amount: &amount})
	check(err == nil && made.JSON201 != nil, err, made)
	deal, err := client.GetDealWithResponse(ctx, made.JSON201.Id, nil)
	check(err == nil && *deal.JSON200.Amount == 123456789.12, err, deal)

	text, email := "Hello", "eva@firm.example"
	channel := CreateMessageRequestChannelChat
	files := []AttachmentInput{{Name: "offer.txt", Data: []byte("An offer")}}
	message, err := client.CreateMessageWithResponse(ctx, nil, CreateMessageRequest{
		Direction: CreateMessageRequestDirectionInbound, Channel: &channel, BodyText: &text,
		From: &MessageSender{Email: &email}, Attachments: &files,
	})
	check(err == nil && message.JSON201 != nil && message.JSON201.Attachments[0].SizeBytes == 8, err, message)

	starts := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	meeting, err := client.CreateMeetingWithResponse(ctx, nil, CreateMeetingRequest{
		Title: "Demo", StartsAt: starts, EndsAt: starts.Add(time.Hour),
	})
	check(err == nil && meeting.JSON201 != nil, err, meeting)
	segments := []TranscriptSegmentInput{{StartMs: 0, EndMs: 2400, Text: "Good morning."}}
	transcript, err := client.ReplaceTranscriptWithResponse(
		ctx, meeting.JSON201.Id, nil, ReplaceTranscriptRequest{Segments: segments})
	check(err == nil && transcript.JSON200.Segments[0].Text == "Good morning.", err, transcript)

	lists, err := client.ListListsWithResponse(ctx, nil)
	check(err == nil && len(lists.JSON200.Data) > 0, err, lists)
}

func check(isTrue bool, about ...any) {
	if !isTrue {
		log.Fatalf("%+v", about)
	}
}
