/** Tables whose rows Postgres deletes with those of another table, by foreign keys. */
export const TABLES_OF_PARENTS: Readonly<Record<string, string>> = {
  consumer_leases: 'event_consumers',
  exhausted_deliveries: 'webhooks',
  alert_mails: 'alert_addresses',
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
  organizations: 'the row of the organization is deleted at the end',
  settings: 'of the installation; the deletion clears the organization of the operators',
  workers: 'the processes of the installation',
}
