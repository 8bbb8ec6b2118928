/** Series by name, in the notation of "promtool test rules": a value for each minute. */
type Series = Record<string, string>

const on = (name: string, labels = ''): string => `${name}{instance="a"${labels && `,${labels}`}}`

/** A server with nothing to tell, for three hours. */
export const FINE: Series = {
  'up{job="dealbox",instance="a"}': '1x200',
  [on('dealbox_ready')]: '1x200',
  [on('dealbox_health_check', 'check="backup"')]: '0x200',
  [on('dealbox_backup_copy_failing', 'place="folder_1"')]: '0x200',
  [on('dealbox_backup_copy_age_seconds', 'place="folder_1"')]: '80000x200',
  [on('dealbox_health_check', 'check="clock"')]: '0x200',
  [on('dealbox_health_check', 'check="replication"')]: '0x200',
  [on('dealbox_health_check', 'check="recurring"')]: '0x200',
  'dealbox_reader_following{instance="b"}': '1x200',
  'dealbox_health_check{instance="b",check="copy"}': '0x200',
  [on('dealbox_certificate_end_time_seconds')]: '100000000x200',
  [on('dealbox_disk_free_bytes')]: '100000000000x200',
  [on('dealbox_log_bytes')]: '4000000x200',
  [on('dealbox_jobs_given_up', 'kind="message.send"')]: '0x200',
  [on('dealbox_jobs', 'kind="message.send",state="due"')]: '3x200',
  [on('dealbox_jobs', 'kind="message.send",state="later"')]: '5000x200',
  [on('dealbox_mailboxes', 'direction="receiving",status="ok"')]: '2x200',
  [on('dealbox_mailboxes', 'direction="receiving",status="failing"')]: '0x200',
  [on('dealbox_mails_received_total', 'outcome="imported"')]: '0+1x200',
  [on('dealbox_mails_received_total', 'outcome="rejected"')]: '7x200',
  [on('dealbox_webhooks', 'state="active"')]: '2x200',
  [on('dealbox_webhooks', 'state="failing"')]: '0x200',
  [on('dealbox_webhook_deliveries_given_up_total')]: '3x200',
  [on('dealbox_tokens_ending', 'days="14"')]: '0x200',
  [on('dealbox_tokens_ending', 'days="2"')]: '0x200',
  [on('dealbox_http_requests_total', 'status="200"')]: '0+1000x200',
  [on('dealbox_http_requests_total', 'status="500"')]: '0+5x200',
  [on('dealbox_event_loop_lag_seconds', 'quantile="0.99"')]: '0.02x200',
  [on('dealbox_event_loop_active_seconds_total')]: '0+30x200',
  [on('dealbox_commit_duration_seconds_bucket', 'le="0.25"')]: '0+100x200',
  [on('dealbox_commit_duration_seconds_bucket', 'le="0.5"')]: '0+100x200',
  [on('dealbox_commit_duration_seconds_bucket', 'le="+Inf"')]: '0+100x200',
}

/** What makes each alert fire, alone, by then; and when it does not fire yet. */
export const ALERT_CASES: Record<string, { series: Series; after: string; notAt?: string }> = {
  DealboxDown: { series: { 'up{job="dealbox",instance="a"}': '1x10 0x60' }, after: '17m', notAt: '14m' },
  DealboxNotReady: { series: { [on('dealbox_ready')]: '1x10 0x60' }, after: '14m', notAt: '12m' },
  DealboxDiskNearlyFull: { series: { [on('dealbox_disk_free_bytes')]: '1000000000x60' }, after: '11m', notAt: '9m' },
  DealboxDiskFillsUp: {
    series: { [on('dealbox_disk_free_bytes')]: '100000000000-30000000x200' },
    after: '100m',
    notAt: '30m',
  },
  DealboxBackupsFail: {
    series: { [on('dealbox_health_check', 'check="backup"')]: '1x200' },
    after: '61m',
    notAt: '59m',
  },
  DealboxBackupCopiesFail: {
    series: { [on('dealbox_backup_copy_failing', 'place="folder_1"')]: '1x200' },
    after: '121m',
    notAt: '119m',
  },
  DealboxCopyLate: {
    series: { [on('dealbox_health_check', 'check="replication"')]: '0x10 1x60' },
    after: '13m',
    notAt: '11m',
  },
  DealboxReaderStopped: {
    series: {
      'dealbox_reader_following{instance="b"}': '1x10 0x60',
      'dealbox_health_check{instance="b",check="copy"}': '0x10 1x60',
    },
    after: '17m',
    notAt: '14m',
  },
  DealboxReaderLate: {
    series: { 'dealbox_health_check{instance="b",check="copy"}': '0x10 1x60' },
    after: '17m',
    notAt: '14m',
  },
  DealboxLogGrows: { series: { [on('dealbox_log_bytes')]: '300000000x60' }, after: '16m', notAt: '14m' },
  DealboxClockWrong: { series: { [on('dealbox_health_check', 'check="clock"')]: '1x60' }, after: '1m' },
  DealboxSendsNothing: {
    series: { [on('dealbox_health_check', 'check="sending"')]: '1x100' },
    after: '61m',
    notAt: '59m',
  },
  DealboxJobsGivenUp: {
    series: { [on('dealbox_jobs_given_up', 'kind="message.send"')]: '1x60' },
    after: '6m',
    notAt: '4m',
  },
  DealboxWorkFails: {
    series: { [on('dealbox_health_check', 'check="recurring"')]: '0x10 1x60' },
    after: '16m',
    notAt: '14m',
  },
  DealboxJobsLate: {
    series: { [on('dealbox_jobs', 'kind="message.send",state="due"')]: '0x10 101x60' },
    after: '30m',
    notAt: '20m',
  },
  DealboxMailboxFails: {
    series: { [on('dealbox_mailboxes', 'direction="receiving",status="failing"')]: '1x60' },
    after: '16m',
    notAt: '14m',
  },
  DealboxMailsRejected: {
    series: { [on('dealbox_mails_received_total', 'outcome="rejected"')]: '7x10 8x200' },
    after: '12m',
    notAt: '90m',
  },
  DealboxWebhookFails: { series: { [on('dealbox_webhooks', 'state="failing"')]: '1x60' }, after: '16m', notAt: '14m' },
  DealboxWebhookEventsLost: {
    series: { [on('dealbox_webhook_deliveries_given_up_total')]: '3x10 4x200' },
    after: '12m',
    notAt: '90m',
  },
  DealboxCertificateEnds: {
    series: { [on('dealbox_certificate_end_time_seconds')]: '1000000x200' },
    after: '61m',
    notAt: '59m',
  },
  DealboxTokensEnd: { series: { [on('dealbox_tokens_ending', 'days="14"')]: '0x10 1x60' }, after: '16m', notAt: '14m' },
  DealboxServerErrors: {
    series: { [on('dealbox_http_requests_total', 'status="503"')]: '0+20x200' },
    after: '13m',
    notAt: '8m',
  },
  DealboxEventLoopLate: {
    series: { [on('dealbox_event_loop_lag_seconds', 'quantile="0.99"')]: '0.02x10 0.3x60' },
    after: '25m',
    notAt: '15m',
  },
  DealboxEventLoopBusy: {
    series: { [on('dealbox_event_loop_active_seconds_total')]: '0+57x200' },
    after: '20m',
    notAt: '14m',
  },
  DealboxCommitsSlow: {
    series: { [on('dealbox_commit_duration_seconds_bucket', 'le="0.25"')]: '0+98x200' },
    after: '13m',
    notAt: '8m',
  },
}
