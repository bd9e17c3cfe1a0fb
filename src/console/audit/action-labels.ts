/** The label of each action in the audit log. */
export const ACTION_LABELS: Readonly<Record<string, string>> = {
  'webhook.created': 'Webhook created',
  'webhook.updated': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.resumed': 'Webhook resumed',
  'signing_secret.rotated': 'Signing secret rotated',
  'api_key.created': 'API key created',
  'api_key.updated': 'API key changed',
  'api_key.revoked': 'API key revoked',
  'portal_session.created': 'Portal session created',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'delivery.tested': 'Test event sent',
  'delivery.redelivered': 'Delivery redelivered',
  'delivery.canceled': 'Delivery canceled',
  'recovery.started': 'Recovery started',
  'recovery.canceled': 'Recovery canceled',
  'event_type.created': 'Event type created',
  'event_type.updated': 'Event type changed',
  'event_type.archived': 'Event type archived',
  'event_type.unarchived': 'Event type unarchived',
  'organization.created': 'Organization created',
  'organization.renamed': 'Organization renamed',
  'job.run_now': 'Job run now',
  'job.rescheduled': 'Job rescheduled',
  'job.failed': 'Job failed manually',
  'job.completed': 'Job removed',
  'encryption.rotated': 'Encryption keys rotated',
}

/** A newer server may know more actions; these show their code. */
export const actionLabel = (action: string) => ACTION_LABELS[action] ?? action
