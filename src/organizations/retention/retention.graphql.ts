import type { Sql } from '../../db/client.ts'
import { builder } from '../../graphql/builder.ts'
import { callerOf } from '../../graphql/context.ts'
import { enumOf } from '../../graphql/enum-of.ts'
import { RETENTION_DAYS } from './retention-rules.ts'

const RetentionSource = enumOf('RetentionSource', 'What a retention comes from.', {
  installation: 'POSTHORN_RETENTION.',
  organization: '`retentionDays` of the organization.',
  event_type: '`retentionDays` of the event type.',
})

interface Retention {
  readonly days: number
  readonly from: 'installation' | 'organization' | 'event_type'
}

/** The shortest of the retentions that apply. */
async function readRetention(
  sql: Sql,
  organizationId: string,
  eventType: string,
): Promise<Retention> {
  const { rows } = await sql.query<Retention>({
    name: 'read_retention',
    text: `
      select days::float8, "from" from (
        select 1, retention_ms / 86400000.0, 'installation' from posthorn.settings
        union all
        select 2, retention_days, 'organization' from posthorn.organizations where id = $1
        union all
        select 3, retention_days, 'event_type' from posthorn.event_types where name = $2
      ) as rule (n, days, "from")
      where days is not null order by days, n limit 1`,
    values: [organizationId, eventType],
  })
  const [shortest] = rows
  if (!shortest) throw new Error('The table posthorn.settings has no row.')
  return shortest
}

const RetentionRef = builder.objectRef<Retention>('Retention').implement({
  description:
    'How long events, deliveries and attempts are kept: the shortest of the retentions of the installation, the organization and the event type.',
  fields: (t) => ({
    days: t.exposeFloat('days', { description: 'The days.' }),
    from: t.expose('from', { type: RetentionSource, description: 'Whose retention it is.' }),
  }),
})

builder.prismaObjectFields('EventType', (t) => ({
  retentionDays: t.exposeInt('retentionDays', {
    nullable: true,
    portal: 'open',
    description: `${RETENTION_DAYS} Null: as long as the organization of the event keeps others.`,
  }),
  retention: t.field({
    type: RetentionRef,
    portal: 'open',
    description: 'How long events of the type are kept in the own organization.',
    select: { name: true },
    resolve: ({ name }, _args, context) =>
      readRetention(context.sql, callerOf(context).organizationId, name),
  }),
}))
