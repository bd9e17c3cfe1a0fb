/**
 * The tables with rows of an organization, in the order in which a deletion empties them, with the columns that an index has
 * after `organization_id`: pages follow it. Small tables have their primary key. Posthorn first deletes what creates other
 * rows. A test reads the tables of the database and fails for one that stands nowhere in this file.
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
  notice_addresses: ['id'],
  sent_mails: ['id'],
  webhook_statistics: ['subject_id', 'minutes', 'bucket', 'stripe'],
  webhook_bodies: ['id'],
  live_listeners: ['listener_id'],
  audit_log: ['id'],
  webhooks: ['id'],
  api_keys: ['id'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type OrganizationTable = keyof typeof ORGANIZATION_TABLES

/** Other rows refer to these, so they are deleted last, once nothing can write a row that refers to them. */
export const LAST_TABLES: readonly OrganizationTable[] = ['webhooks', 'api_keys']

/** The tables with partitions. A partition that maintenance has detached is dropped within the hour, and emptied before. */
export const PARTITIONED_TABLES = ['deliveries', 'attempts', 'event_keys', 'events'] as const

/** Tables whose rows Postgres deletes with those of another table, by foreign keys. */
export const TABLES_OF_PARENTS: Readonly<Record<string, OrganizationTable>> = {
  consumer_leases: 'event_consumers',
  exhausted_deliveries: 'webhooks',
  notice_mails: 'notice_addresses',
  rate_limits: 'api_keys',
  reported_states: 'webhooks',
  sessions: 'api_keys',
  sign_in_links: 'api_keys',
  signing_secrets: 'webhooks',
  webhook_conditions: 'webhooks',
  webhook_holds: 'webhooks',
  webhook_schedules: 'webhooks',
}

/** Tables without rows of one organization. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  cursors: 'how far tasks for all organizations have come',
  event_type_versions: 'the catalogue of all organizations',
  event_types: 'the catalogue of all organizations',
  organization_deletions: 'the tombstones',
  organizations: 'the row of the organization is deleted at the end',
  settings: 'of the installation; the deletion clears the organization of the operators',
  used_sign_in_states: 'sign-ins by OpenID Connect of the last minutes, as hashes',
  workers: 'the processes of the installation',
}
