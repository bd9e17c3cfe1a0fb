import type { Sql } from '../../db/client.ts'
import type { SourceType } from '../../event-graph/model.ts'
import { SOURCE_TYPES } from '../../event-graph/read-source-types.ts'
import { catalogueAfter } from './catalogue-after.ts'
import { parsed } from './check-catalogue.ts'
import type { TypeChange } from './compare-catalogue.ts'
import type { Finding } from './finding.ts'
import { refusedEvents, refusedPublishers } from './refused-events.ts'
import { SELECTING_WEBHOOKS, type SelectingRow, selectionFindings } from './selection-findings.ts'

/** What each of the changes breaks, by the name of the event type. An added event type breaks nothing. */
export async function findFindings(
  sql: Sql,
  changes: readonly TypeChange[],
): Promise<ReadonlyMap<string, readonly Finding[]>> {
  const findings = new Map<string, readonly Finding[]>()
  for (const { name, fields, before, after } of changes) {
    if (before === null) continue
    const found = [
      ...(fields.includes('schema') ? await refusedEvents(sql, name, parsed(after.schema)) : []),
      ...(fields.includes('archived') && after.archived ? await refusedPublishers(sql, name) : []),
    ]
    if (found.length > 0) findings.set(name, found)
  }
  // A change can rename the type of an event type that it does not change: the first change then tells of it.
  for (const [eventType, found] of await brokenSelections(sql, changes)) {
    const isChanged = changes.some(({ name }) => name === eventType)
    const name = isChanged ? eventType : (changes[0]?.name ?? eventType)
    findings.set(name, [...(findings.get(name) ?? []), ...found])
  }
  return findings
}

async function brokenSelections(
  sql: Sql,
  changes: readonly TypeChange[],
): Promise<Map<string, Finding[]>> {
  const { rows: webhooks } = await sql.query<SelectingRow>(SELECTING_WEBHOOKS)
  if (webhooks.length === 0) return new Map()
  const { rows: before } = await sql.query<SourceType>(SOURCE_TYPES)
  return await selectionFindings(webhooks, before, catalogueAfter(before, changes))
}
