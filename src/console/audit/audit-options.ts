import type { AuditSource, AuditSubjectKind } from '../generated/graphql.ts'
import { ACTION_LABELS } from './action-labels.ts'

/** The options of the filters of the audit log. */

export const ACTIONS = Object.entries(ACTION_LABELS).map(([value, label]) => ({ value, label }))

const KINDS: readonly AuditSubjectKind[] = [
  'WEBHOOK',
  'API_KEY',
  'SESSION',
  'DELIVERY',
  'DELIVERY_TASK',
  'RECOVERY',
  'EVENT_TYPE',
  'ORGANIZATION',
  'JOB',
  'ENCRYPTION',
]

const KIND_LABELS = {
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

export const SUBJECT_KINDS = KINDS.map((value) => ({ value, label: KIND_LABELS[value] }))

const SOURCE_NAMES: readonly AuditSource[] = ['CONSOLE', 'GRAPHQL', 'REST', 'CLI', 'SYSTEM']

const SOURCE_LABELS = {
  GRAPHQL: 'GraphQL',
  REST: 'REST API',
  CLI: 'Command line',
  CONSOLE: 'Console',
  SYSTEM: 'Posthorn',
}

export const sourceLabel = (source: AuditSource) => SOURCE_LABELS[source]

export const SOURCES = SOURCE_NAMES.map((value) => ({ value, label: sourceLabel(value) }))
