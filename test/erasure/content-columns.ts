/** Columns of contents that an erasure empties. */
export const ERASED_COLUMNS: readonly string[] = [
  'attempts.response_body',
  'attempts.response_headers',
  'event_keys.value',
  'events.data',
  'events.previous',
  'events.trace_state',
]

/** Columns that people configure. An erasure leaves them. */
export const CONFIGURED_COLUMNS: readonly string[] = [
  ...['url', 'description', 'filter', 'selection', 'template', 'uid', 'metadata'].map(
    (column) => `webhooks.${column}`,
  ),
  ...['selection', 'plan', 'template'].map((column) => `webhook_bodies.${column}`),
  ...['name', 'filter'].map((column) => `event_consumers.${column}`),
  ...['email', 'portal_page_url', 'rejection'].map((column) => `notice_addresses.${column}`),
  ...['name', 'uid', 'metadata'].map((column) => `organizations.${column}`),
  ...['description', 'schema', 'example'].map((column) => `event_types.${column}`),
  'api_keys.name',
  'audit_log.after',
  'audit_log.before',
  'bulk_tasks.selection',
  'event_type_versions.schema',
]

const PEOPLE = 'names who works with Posthorn, and is the record of what they did'
const OWN = 'words, ids and times of Posthorn itself'
const CATALOGUE = 'names of the catalogue, which have no contents'
const CONFIGURED = 'made of a column that people configure'
const SECRET = 'a secret or a hash of one'
const KEYED_HASH = 'keyed hashes of the body, from which nobody reads the body'
const URL_OF_WEBHOOK = 'the URL of the webhook, which people configure'
const FAILURE = 'says why a request failed, in words of Posthorn: never what the receiver sent'
const WITHIN_A_DAY = 'is deleted within 24 hours, and prevents that an event is published twice'
const NOTICE = 'a notice about a webhook, with its description and URL, which people configure'

/**
 * The other columns of text, JSON or bytes, and why an erasure leaves them. A test fails for a column of the database that
 * stands nowhere in this file.
 */
export const OTHER_COLUMNS: Readonly<Record<string, string>> = {
  'api_keys.scopes': OWN,
  'api_keys.token_hash': SECRET,
  'api_keys.token_hint': SECRET,
  'attempts.cause': OWN,
  'attempts.error': FAILURE,
  'attempts.error_code': OWN,
  'attempts.request_header_names': 'the names of custom headers, without their values',
  'attempts.request_header_prefix': OWN,
  'attempts.request_signature': KEYED_HASH,
  'attempts.request_trace_parent': OWN,
  'attempts.request_url': URL_OF_WEBHOOK,
  'attempts.request_user_agent': OWN,
  'audit_log.action': OWN,
  'audit_log.address': PEOPLE,
  'audit_log.forwarded_for': PEOPLE,
  'audit_log.person': PEOPLE,
  'audit_log.subject_id': CATALOGUE,
  'audit_log.user_agent': PEOPLE,
  'bulk_tasks.failure': OWN,
  'bulk_tasks.progress': OWN,
  'bulk_tasks.value_ciphertext': 'is encrypted, and empty once the task has ended',
  'consumer_leases.end_reason': OWN,
  'cursors.name': OWN,
  'deliveries.event_type': CATALOGUE,
  'deliveries.last_error': FAILURE,
  'deliveries.parked_reason': OWN,
  'event_consumers.types': CATALOGUE,
  'event_keys.path': CATALOGUE,
  'event_type_versions.event_type': CATALOGUE,
  'event_types.group_name': CATALOGUE,
  'event_types.name': CATALOGUE,
  'event_types.search_keys': CATALOGUE,
  'events.trace_parent': OWN,
  'events.type': CATALOGUE,
  'exhausted_deliveries.data': NOTICE,
  'fan_outs.event_types': CATALOGUE,
  'idempotency_keys.key': WITHIN_A_DAY,
  'idempotency_keys.operation': OWN,
  'idempotency_keys.request_hash': WITHIN_A_DAY,
  'idempotency_keys.response_ciphertext': 'has ids and a signing secret, encrypted',
  'incidents.acknowledged_by': PEOPLE,
  'incidents.cause': OWN,
  'incidents.webhook_state': OWN,
  'notice_addresses.kinds': OWN,
  'notice_mails.data': NOTICE,
  'organization_deletions.open_jobs': OWN,
  'organization_deletions.open_transactions': OWN,
  'organization_deletions.reached':
    'keys of rows that a deletion has reached, empty once the deletion has ended',
  'organization_deletions.requested_by': PEOPLE,
  'organization_deletions.step': OWN,
  'organizations.label_hashes': CONFIGURED,
  'rate_limits.budget': OWN,
  'reported_states.type': OWN,
  'sent_mails.recipient_hash': 'is deleted within a day, and limits the mails to an address',
  'sessions.person': PEOPLE,
  'sessions.person_subject': PEOPLE,
  'sessions.token_hash': SECRET,
  'settings.public_url': 'the URL of the installation',
  'sign_in_links.token_hash': SECRET,
  'signing_secrets.key_ciphertext': SECRET,
  'used_sign_in_states.state_hash': SECRET,
  'webhook_conditions.behind_cause': OWN,
  'webhook_conditions.last_error': FAILURE,
  'webhook_conditions.state': OWN,
  'webhook_schedules.on_hold_reason': OWN,
  'webhooks.event_subscriptions': CATALOGUE,
  'webhooks.filter_path': CONFIGURED,
  'webhooks.filter_query': CONFIGURED,
  'webhooks.filter_times': CONFIGURED,
  'webhooks.header_prefix': OWN,
  'webhooks.headers_ciphertext': SECRET,
  'webhooks.label_hashes': CONFIGURED,
  'workers.id': OWN,
}
