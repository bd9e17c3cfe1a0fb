import type { Sql } from '../../db/client.ts'

/** The object that an audit entry is about. */
interface Subject {
  /** The present name. Null for a subject that has no name or that no row describes any more. */
  readonly name: string | null
  /** Whether the subject is a webhook that was deleted. */
  readonly isDeleted: boolean
}

/** In the order of the uuids of the entries: also deleted webhooks and revoked keys, whose rows stay. */
export async function findSubjects(sql: Sql, entryUuids: readonly string[]): Promise<Subject[]> {
  const { rows } = await sql.query<Subject>({
    name: 'find_subjects',
    text: FIND_SUBJECTS,
    values: [entryUuids],
  })
  return rows
}

/** Reads every table by its primary key. An event type has no id but its name. */
const FIND_SUBJECTS = `
  with entry as (
    select n, organization_id, action, subject_id
    from unnest($1::uuid[]) with ordinality as given (id, n)
    left join posthorn.audit_log using (id)
  )
  select
    case
      when entry.action like 'event_type.%' then entry.subject_id
      when delivery.id is not null then delivery.event_type || ' to ' || webhook.name
      else coalesce(webhook.name, consumer.name, key.name, key.token_hint || '…', organization.name)
    end as name,
    coalesce(webhook.is_subject and webhook.is_deleted, false) as "isDeleted"
  from entry
  left join posthorn.deliveries as delivery
    on delivery.id = posthorn.parse_type_id('msg', entry.subject_id)
    and delivery.organization_id = entry.organization_id
  left join posthorn.api_keys as key
    on key.id = posthorn.parse_type_id('key', entry.subject_id)
    and key.organization_id = entry.organization_id
  left join posthorn.organizations as organization
    on organization.id = posthorn.parse_type_id('org', entry.subject_id)
    and organization.id = entry.organization_id
  left join posthorn.incidents as incident
    on incident.id = posthorn.parse_type_id('inc', entry.subject_id)
    and incident.organization_id = entry.organization_id
  left join posthorn.event_consumers as consumer
    on consumer.id = posthorn.parse_type_id('con', entry.subject_id)
    and consumer.organization_id = entry.organization_id
  left join lateral (
    select coalesce(nullif(description, ''), substring(url from '^https://([^/?#]+)')) as name,
      deleted_at is not null as is_deleted, id = posthorn.parse_type_id('wh', entry.subject_id) as is_subject
    from posthorn.webhooks
    where id = coalesce(posthorn.parse_type_id('wh', entry.subject_id), delivery.webhook_id, incident.webhook_id)
      and organization_id = entry.organization_id
  ) as webhook on true
  order by entry.n`
