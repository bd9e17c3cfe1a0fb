import type { Sql } from '../../db/client.ts'
import { builder } from '../../graphql/builder.ts'
import { RETENTION_DAYS } from './retention-rules.ts'

builder.prismaObjectFields('EventType', (t) => ({
  retentionDays: t.exposeInt('retentionDays', {
    nullable: true,
    portal: 'open',
    description: `${RETENTION_DAYS} Null: as long as the organization of the event keeps others.`,
  }),
  effectiveRetentionDays: t.float({
    portal: 'open',
    description:
      'The days that events of the type, their deliveries and attempts are kept in the own organization: the shortest of the retentions of the installation, the organization and the event type.',
    select: { name: true },
    resolve: ({ name }, _args, context) =>
      readRetentionDays(context.sql, context.caller.organizationId, name),
  }),
}))

async function readRetentionDays(
  sql: Sql,
  organizationId: string,
  eventType: string,
): Promise<number> {
  const { rows } = await sql.query<{ days: number }>({
    name: 'read_retention_days',
    text: `
      select least(s.retention_ms / 86400000.0, o.retention_days, t.retention_days)::float8 as days
      from posthorn.settings as s
      left join posthorn.organizations as o on o.id = $1
      left join posthorn.event_types as t on t.name = $2`,
    values: [organizationId, eventType],
  })
  const [row] = rows
  if (!row) throw new Error('The table posthorn.settings has no row.')
  return row.days
}
