import { optionsOf } from '../components/filters/list-param.ts'
import type { AuditSource, AuditSubjectKind } from '../generated/graphql.ts'
import { ACTION_LABELS } from './action-labels.ts'

/** The options of the filters of the audit log. */

export const ACTIONS = optionsOf(ACTION_LABELS)

const KIND_LABELS: Record<AuditSubjectKind, string> = {
  WEBHOOK: 'Webhook',
  API_KEY: 'API key',
  SESSION: 'Session',
  DELIVERY: 'Delivery',
  DELIVERY_TASK: 'Delivery task',
  RECOVERY: 'Recovery',
  EVENT_TYPE: 'Event type',
  ORGANIZATION: 'Organization',
  JOB: 'Job',
  ENCRYPTION: 'Encryption keys',
}

export const SUBJECT_KINDS = optionsOf(KIND_LABELS)

const SOURCE_LABELS: Record<AuditSource, string> = {
  CONSOLE: 'Console',
  GRAPHQL: 'GraphQL',
  REST: 'REST API',
  CLI: 'Command line',
  SYSTEM: 'Posthorn',
}

export const sourceLabel = (source: AuditSource) => SOURCE_LABELS[source]

export const SOURCES = optionsOf(SOURCE_LABELS)
