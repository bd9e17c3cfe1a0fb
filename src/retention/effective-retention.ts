import type { Sql } from '../db/client.ts'

/** Where a retention comes from. */
export type RetentionSource = 'installation' | 'organization' | 'event_type'

/** How long events, deliveries and attempts are kept: the shortest of those that apply. */
export interface Retention {
  readonly days: number
  readonly from: RetentionSource
}

const DAY_MS = 86_400_000

export function effectiveRetention(
  installationDays: number,
  organizationDays: number | null,
  eventTypeDays: number | null = null,
): Retention {
  const rules: Retention[] = [{ days: installationDays, from: 'installation' }]
  if (organizationDays !== null) rules.push({ days: organizationDays, from: 'organization' })
  if (eventTypeDays !== null) rules.push({ days: eventTypeDays, from: 'event_type' })
  return rules.reduce((shortest, rule) => (rule.days < shortest.days ? rule : shortest))
}

/** The retention of an organization, and what events of a type may have less. */
export async function readRetention(
  sql: Sql,
  organizationId: string,
  eventType: string | null = null,
): Promise<Retention> {
  const { rows } = await sql.query<{
    installationMs: number
    organizationDays: number | null
    eventTypeDays: number | null
  }>({
    name: 'read_retention',
    text: `
      select s.retention_ms::float8 as "installationMs", o.retention_days as "organizationDays",
        t.retention_days as "eventTypeDays"
      from posthorn.settings as s
      left join posthorn.organizations as o on o.id = $1
      left join posthorn.event_types as t on t.name = $2`,
    values: [organizationId, eventType],
  })
  const [row] = rows
  if (!row) throw new Error('The table posthorn.settings has no row.')
  return effectiveRetention(row.installationMs / DAY_MS, row.organizationDays, row.eventTypeDays)
}
