/** What each action of the audit log says in words. */
export const ACTIONS: Readonly<Record<string, string>> = {
  'webhook.created': 'Webhook created',
  'webhook.updated': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.resumed': 'Webhook released',
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
  'event_type.created': 'Event type added',
  'event_type.updated': 'Event type changed',
  'event_type.archived': 'Event type archived',
  'event_type.unarchived': 'Event type brought back',
  'organization.created': 'Organization created',
  'organization.renamed': 'Organization renamed',
  'job.run_now': 'Job run now',
  'job.rescheduled': 'Job rescheduled',
  'job.failed': 'Job failed by hand',
  'job.completed': 'Job removed',
  'encryption.rotated': 'Encryption keys rotated',
}

/** What a newer server writes down is called by its own name. */
export const wordsOf = (action: string) => ACTIONS[action] ?? action
