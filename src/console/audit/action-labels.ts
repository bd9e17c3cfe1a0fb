import { t } from '../strings/t.ts'

/** The label of each action in the audit log. */
export const ACTION_LABELS: Readonly<Record<string, string>> = {
  'webhook.created': t('audit:actions.webhookCreated'),
  'webhook.updated': t('audit:actions.webhookUpdated'),
  'webhook.deleted': t('audit:actions.webhookDeleted'),
  'webhook.probed': t('audit:actions.webhookProbed'),
  'webhook.resumed': t('audit:actions.webhookResumed'),
  'signing_secret.rotated': t('audit:actions.signingSecretRotated'),
  'signing_secret.revealed': t('audit:actions.signingSecretRevealed'),
  'custom_headers.revealed': t('audit:actions.customHeadersRevealed'),
  'api_key.created': t('audit:actions.apiKeyCreated'),
  'api_key.updated': t('audit:actions.apiKeyUpdated'),
  'api_key.revoked': t('audit:actions.apiKeyRevoked'),
  'portal_session.created': t('audit:actions.portalSessionCreated'),
  'frontend_session.created': t('audit:actions.frontendSessionCreated'),
  'frontend_session.renewed': t('audit:actions.frontendSessionRenewed'),
  'session.started': t('audit:actions.sessionStarted'),
  'session.ended': t('audit:actions.sessionEnded'),
  'delivery.tested': t('audit:actions.deliveryTested'),
  'delivery.copied': t('audit:actions.deliveryCopied'),
  'delivery.redelivered': t('audit:actions.deliveryRedelivered'),
  'delivery.canceled': t('audit:actions.deliveryCanceled'),
  'bulk_task.started': t('audit:actions.bulkTaskStarted'),
  'bulk_task.canceled': t('audit:actions.bulkTaskCanceled'),
  'event_type.created': t('audit:actions.eventTypeCreated'),
  'event_type.updated': t('audit:actions.eventTypeUpdated'),
  'event_type.archived': t('audit:actions.eventTypeArchived'),
  'event_type.unarchived': t('audit:actions.eventTypeUnarchived'),
  'organization.created': t('audit:actions.organizationCreated'),
  'organization.renamed': t('audit:actions.organizationRenamed'),
  'job.run_now': t('audit:actions.jobRunNow'),
  'job.rescheduled': t('audit:actions.jobRescheduled'),
  'job.failed': t('audit:actions.jobFailed'),
  'job.completed': t('audit:actions.jobCompleted'),
  'encryption.rotated': t('audit:actions.encryptionRotated'),
}

/** A newer server may know more actions; these show their code. */
export const actionLabel = (action: string) => ACTION_LABELS[action] ?? action
