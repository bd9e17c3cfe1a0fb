import type { AuditSource, AuditSubjectKind } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
import { ACTION_LABELS } from './action-labels.ts'

/** The options of the filters of the audit log. */

export const ACTIONS = Object.entries(ACTION_LABELS).map(([value, label]) => ({ value, label }))

const KINDS: readonly AuditSubjectKind[] = [
  'WEBHOOK',
  'API_KEY',
  'SESSION',
  'DELIVERY',
  'BULK_TASK',
  'EVENT_TYPE',
  'ORGANIZATION',
  'JOB',
  'ENCRYPTION',
]

export const SUBJECT_KINDS = KINDS.map((value) => ({ value, label: t(`audit:kinds.${value}`) }))

const SOURCE_NAMES: readonly AuditSource[] = ['CONSOLE', 'GRAPHQL', 'REST', 'CLI', 'SYSTEM']

export const sourceLabel = (source: AuditSource) => t(`audit:sources.${source}`)

export const SOURCES = SOURCE_NAMES.map((value) => ({ value, label: sourceLabel(value) }))
