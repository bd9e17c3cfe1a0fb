import { notAnId, parseId } from '../db/ids.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import { AUDIT_ACTIONS } from './audit-entry.ts'
import type { AuditFilter } from './find-audit-entries.ts'

/** An `AuditFilter` of the graph, with public ids. */
export type AuditFilterInput = Omit<AuditFilter, 'apiKeyUuids'> & {
  readonly apiKeyIds?: readonly string[] | null | undefined
}

/** Throws `invalid` with every unknown action and every id of another kind. */
export function readAuditFilter(input: AuditFilterInput | null | undefined): AuditFilter {
  const { apiKeyIds, ...filter } = input ?? {}
  const apiKeyUuids = apiKeyIds?.map((id) => parseId('apiKey', id))
  const issues = [
    ...(filter.actions?.flatMap(unknownAction) ?? []),
    ...(apiKeyUuids?.flatMap((uuid, i) =>
      uuid === null ? [notAnId('apiKey', ['filter', 'apiKeyIds', `${i}`])] : [],
    ) ?? []),
  ]
  if (issues.length > 0) throw invalid(issues)
  return { ...filter, apiKeyUuids: apiKeyUuids?.filter((uuid) => uuid !== null) }
}

function unknownAction(action: string, index: number): FieldIssue[] {
  if (AUDIT_ACTIONS.some((known) => known === action)) return []
  const given = action.slice(0, 100)
  const detail = `There is no action ${JSON.stringify(given)}.${didYouMean(given, AUDIT_ACTIONS)}`
  return [{ path: ['filter', 'actions', index], code: 'invalid_argument', detail }]
}
