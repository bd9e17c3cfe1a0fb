import type { Sql } from '../db/client.ts'
import { KEPT_COLUMNS, type KeptPlace } from './content-columns.ts'
import { type HasValue, redact } from './redact.ts'

/** Where a value is still, because people configured it there: the number of rows by place. */
export type Kept = Readonly<Record<KeptPlace, number>>

/** The condition on the rows of an organization. The catalogue is that of all organizations. */
const OF_ORGANIZATION: Readonly<Record<KeptPlace, string>> = {
  webhooks: 'organization_id = $1',
  consumers: 'organization_id = $1',
  noticeAddresses: 'organization_id = $1',
  organizations: 'id = $1',
  apiKeys: 'organization_id = $1',
  eventTypes: '$1::uuid is not null',
}

const KEPT = Object.entries(KEPT_COLUMNS)
  .flatMap(([place, tables]) =>
    Object.entries(tables).map(
      ([table, columns]) =>
        `select '${place}' as place, array[${columns.map((column: string) => `${column}::text`).join(', ')}] as texts
         from posthorn.${table} where ${OF_ORGANIZATION[place as KeptPlace]}`,
    ),
  )
  .join(' union all ')

/** An erasure does not change what a webhook gets, and who is told. The report names these places. */
export async function findKept(
  sql: Sql,
  organizationUuid: string,
  hasValue: HasValue,
): Promise<Kept> {
  const { rows } = await sql.query<{ place: KeptPlace; texts: (string | null)[] }>(KEPT, [
    organizationUuid,
  ])
  const kept: Record<KeptPlace, number> = {
    ...{ webhooks: 0, consumers: 0, noticeAddresses: 0 },
    ...{ organizations: 0, apiKeys: 0, eventTypes: 0 },
  }
  for (const { place, texts } of rows) {
    if (texts.some((text) => text !== null && namesValue(text, hasValue))) kept[place] += 1
  }
  return kept
}

/** The text can be JSON, of which a short value is one whole text. */
function namesValue(text: string, hasValue: HasValue): boolean {
  return hasValue(text) || redact(text, hasValue) !== text
}
