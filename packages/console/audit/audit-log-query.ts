import { pageQuery } from '../api/page-query.ts'
import {
  readList,
  readOptions,
  readTimeRange,
  TIME_FILTERS,
  type TimeBounds,
} from '../components/filters/filter-params.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import {
  type AuditFilter,
  AuditLogActorsDocument,
  AuditLogPageDocument,
} from '../generated/graphql.ts'
import { oidcHost } from '../page-settings.ts'
import { ACTIONS, DEFAULT_KINDS, SOURCES, SUBJECT_KINDS } from './audit-options.ts'

/** The query parameters of the filters. */
export const AUDIT_FILTERS = [
  ...(['action', 'kind', 'subject', 'key', 'person', 'source'] as const),
  ...TIME_FILTERS,
]

type AuditValues = Readonly<Record<(typeof AUDIT_FILTERS)[number], string | null>>

export const auditLogQuery = pageQuery(
  AuditLogPageDocument,
  ({ search, session }) => {
    const values = readFilters(AUDIT_FILTERS, search)
    const time = readTimeRange(values)
    if (!time || !session.can('keys:manage')) return null
    return { ...readCursors(search), filter: auditFilter(values, time) }
  },
  ['AuditEntry'],
)

export const auditActorsQuery = pageQuery(AuditLogActorsDocument, ({ session }) =>
  session.can('keys:manage') ? { withPeople: oidcHost !== '' } : null,
)

/** The filter for the API. Unless something else than a time is chosen, sessions and sign-ins are left out. */
export function auditFilter(values: AuditValues, time: TimeBounds): AuditFilter {
  const { action, kind, subject, key, person, source } = values
  const isChosen = [action, kind, subject, key, person, source].some((value) => value !== null)
  return {
    actions: some(readOptions(action, ACTIONS)),
    subjectKinds: isChosen ? some(readOptions(kind, SUBJECT_KINDS)) : DEFAULT_KINDS,
    subjectIds: some(readList(subject)),
    apiKeyIds: some(readList(key)),
    people: some(readList(person)),
    sources: some(readOptions(source, SOURCES)),
    ...time,
  }
}

/** The API takes no empty list: a filter without values is left out. */
function some<Value>(values: readonly Value[]): Value[] | null {
  return values.length > 0 ? [...values] : null
}
