/** A kind of line that people and programs search or count. */
export interface LogEvent {
  readonly level: string
  readonly when: string
  readonly fields: Readonly<Record<string, string>>
}

const CAUSE = { cause: 'the cause, as in the metric posthorn_postgres_failures_total' }
const ERROR = { error: 'the error with its code, message and stack' }
const FIRST_IDS = { deliveryIds: 'the first ten' }
const COUNT = { count: 'how many deliveries' }

/** Every value of `event` in the log, in the order of the reference. A test holds the list to the code. */
export const LOG_EVENTS: Readonly<Record<string, LogEvent>> = {
  'request.finished': {
    level:
      'info; debug for /healthz, /readyz, /metrics and the files of the console, the portal and the documentation',
    when: 'A request ended; for a subscription, when its stream ended.',
    fields: {
      method: 'the method of the request',
      route:
        'a pattern such as /api/connect/v1/webhooks/{webhook_id}, and null if no route matches; the line never has the URL',
      status: 'null if the client went away before the response began',
      durationMs: "from the end of the request's headers to the end of the response",
      requestId: 'the value of x-request-id in the response',
      keyId: 'the API key, also of a session; missing without a valid key',
      organizationId: 'the organization that the key acts for; missing without a valid key',
      operationType: 'of GraphQL: query, mutation or subscription',
      operationName: "of GraphQL: at most 100 characters of the operation's name; never variables",
      limit:
        'the limit that rejected the request, as in the metric posthorn_limit_rejections_total',
      aborted:
        'true if the connection closed before the response was complete; a client ends a subscription in this way',
    },
  },
  'request.rejected': {
    level: 'info',
    when: 'The server answered bytes that are not a valid HTTP request, or a request that came in too slowly.',
    fields: {
      status: 'of the answer',
      requestId: 'that of the answer',
      reason: "the code of Node's parser",
    },
  },
  'connections.rejected': {
    level: 'warn',
    when: 'A connection was closed because its address has too many; at most once a minute. Put the proxy on the same machine, or find out who connects so often.',
    fields: { address: 'of the client', limit: 'how many connections an address may have' },
  },
  'delivery.attempted': {
    level:
      'info if the attempt failed, otherwise debug; error if a secret of the webhook cannot be decrypted',
    when: 'An attempt was recorded.',
    fields: {
      deliveryId: 'msg_…',
      webhookId: 'wh_…',
      attempt: 'its number, from 1',
      succeeded: 'true or false',
      status: 'of the response, or null',
      errorCode: 'why there is no response, or null',
      durationMs: 'from the start of connecting to the end of the response',
      state: 'that of the delivery after the attempt',
      nextAttemptAt: 'the time of the next attempt, or null',
    },
  },
  'jobs.restored': {
    level: 'info',
    when: 'Deliveries got their missing jobs again, which somebody completed or deleted.',
    fields: { ...COUNT, ...FIRST_IDS },
  },
  'jobs.canceled': {
    level: 'info',
    when: 'Deliveries were canceled because an operator permanently failed their jobs.',
    fields: { ...COUNT, reason: 'job_failed', ...FIRST_IDS },
  },
  'jobs.reopened': {
    level: 'info',
    when: 'The retry schedules of exhausted deliveries started again because an operator rescheduled their jobs.',
    fields: { ...COUNT, ...FIRST_IDS },
  },
  'deliveries.canceled': {
    level: 'info',
    when: 'Posthorn canceled deliveries that can no longer be sent, or those of a task.',
    fields: {
      ...COUNT,
      reason: 'webhook_deleted, event_deleted (past POSTHORN_RETENTION, or erased), or bulk_task',
      webhookId: 'of a webhook that was deleted',
      ...FIRST_IDS,
      taskId: 'of a task',
    },
  },
  'job.foreign': {
    level: 'warn',
    when: 'A job that another program added failed: its key or payload names nothing of Posthorn. The text says what is wrong; complete the job.',
    fields: {},
  },
  'maintenance.failed': {
    level: 'warn',
    when: 'A step of the maintenance failed; the other steps run, and the job is tried again.',
    fields: { step: 'its name', table: 'of the steps that have one', ...ERROR },
  },
  'postgres.settings': {
    level: 'error',
    when: '/readyz found connections without the settings that Posthorn needs.',
    fields: { settings: 'those that differ', remedies: 'statements that set them' },
  },
  'postgres.unavailable': {
    level: 'error if the disk of Postgres is full, otherwise warn',
    when: 'The first statement of an outage failed. Requests get 503 and deliveries wait.',
    fields: { cause: 'unreachable or disk_full', ...ERROR },
  },
  'postgres.contention': {
    level: 'warn',
    when: 'The first statement that was canceled because another session holds a lock, or because of a deadlock.',
    fields: { ...CAUSE, ...ERROR },
  },
  'postgres.time_limit': {
    level: 'warn',
    when: 'The first statement or transaction that was canceled because it took longer than it may.',
    fields: { ...CAUSE, ...ERROR },
  },
  'pool.exhausted': {
    level: 'warn',
    when: 'The first statement for which no connection of a pool of this process was free within 2 s.',
    fields: { ...CAUSE, ...ERROR },
  },
  'runner.replaced': {
    level: 'warn',
    when: 'A worker replaced its runner of graphile-worker, which failed or claimed no jobs.',
    fields: { reason: 'why', ...ERROR },
  },
  'postgres.available': {
    level: 'info',
    when: 'Postgres answers, and the cause has made no statement fail for 10 s, or for a minute after disk_full.',
    fields: { ...CAUSE },
  },
}
