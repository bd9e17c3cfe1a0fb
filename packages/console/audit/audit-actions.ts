import { optionsOf } from '../components/filters/filter-params.ts'
import type { AuditSource } from '../generated/graphql.ts'

/** The label of each action in the audit log. */
export const ACTION_LABELS: Readonly<Record<string, string>> = {
  'webhook.created': 'Webhook created',
  'webhook.updated': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.probed': 'Probe sent',
  'webhook.resumed': 'Webhook resumed',
  'signing_secret.rotated': 'Signing secret rotated',
  'signing_secret.revealed': 'Signing secret revealed',
  'custom_headers.revealed': 'Custom headers revealed',
  'api_key.created': 'API key created',
  'api_key.updated': 'API key changed',
  'api_key.revoked': 'API key revoked',
  'portal_session.created': 'Portal session created',
  'frontend_session.created': 'Frontend session created',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'incident.updated': 'Incident changed',
  'delivery.tested': 'Test event sent',
  'delivery.redelivered': 'Delivery redelivered',
  'delivery.canceled': 'Delivery canceled',
  'bulk_task.started': 'Bulk action started',
  'bulk_task.canceled': 'Bulk action stopped',
  'event_type.created': 'Event type created',
  'event_type.updated': 'Event type changed',
  'event_type.archived': 'Event type archived',
  'event_type.unarchived': 'Event type unarchived',
  'organization.created': 'Organization created',
  'organization.updated': 'Organization changed',
  'organization.deleted': 'Organization deleted',
  'encryption.rotated': 'Encryption keys rotated',
  'operational_events.updated': 'Operational events changed',
  'alert_address.added': 'E-mail address added',
  'alert_address.updated': 'E-mail address changed',
  'alert_address.removed': 'E-mail address removed',
  'alert_address.confirmed': 'E-mail address confirmed',
  'alert_address.unsubscribed': 'E-mail address unsubscribed',
  'consumer.created': 'Consumer created',
  'consumer.deleted': 'Consumer deleted',
}

/** A newer server may know more actions; these show their code. */
export const actionLabel = (action: string) => ACTION_LABELS[action] ?? action

export const ACTIONS = optionsOf(ACTION_LABELS)

export const SOURCES: Record<AuditSource, string> = {
  CONSOLE: 'Console',
  GRAPHQL: 'GraphQL',
  REST: 'REST API',
  CLI: 'Command line',
  SYSTEM: 'Posthorn',
}
