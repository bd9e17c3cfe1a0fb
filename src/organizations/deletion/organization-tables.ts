/**
 * The tables with rows of an organization, in the order in which a deletion empties them, with the columns that an index has
 * after `organization_id`: pages follow it. Small tables have their primary key. Posthorn first deletes what creates other
 * rows. A test fails for a table of the database for which nothing is decided.
 */
export const ORGANIZATION_TABLES = {
  fan_outs: ['id'],
  unkept_payloads: ['id'],
  bulk_tasks: ['id'],
  event_consumers: ['id'],
  deliveries: ['id'],
  attempts: ['status_class', 'id'],
  event_keys: ['path', 'value', 'event_id'],
  events: ['id'],
  published_batches: ['id'],
  event_streams: ['used_at'],
  filtered_events: ['id'],
  idempotency_keys: ['operation', 'key'],
  incidents: ['id'],
  alert_addresses: ['id'],
  sent_mails: ['id'],
  webhook_statistics: ['subject_id', 'minutes', 'bucket', 'stripe'],
  webhook_bodies: ['id'],
  audit_log: ['id'],
  webhooks: ['id'],
  api_keys: ['id'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type OrganizationTable = keyof typeof ORGANIZATION_TABLES

/** Other rows refer to these, so they are deleted last, once nothing can write a row that refers to them. */
export const LAST_TABLES: readonly OrganizationTable[] = ['webhooks', 'api_keys']

/** The tables with partitions. A partition that maintenance has detached is dropped within the hour, and emptied before. */
export const PARTITIONED_TABLES = ['deliveries', 'attempts', 'event_keys', 'events'] as const
