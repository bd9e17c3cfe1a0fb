import type { Sql } from '../db/client.ts'

/**
 * The present names of the subjects of audit entries, in the order of the uuids of the entries: also of deleted webhooks
 * and revoked keys, whose rows stay. Null for a subject that has no name or that no row describes any more.
 */
export async function findSubjectNames(
  sql: Sql,
  entryUuids: readonly string[],
): Promise<(string | null)[]> {
  const { rows } = await sql.query<{ name: string | null }>({
    name: 'find_subject_names',
    text: FIND_SUBJECT_NAMES,
    values: [entryUuids],
  })
  return rows.map(({ name }) => name)
}

/** Reads every table by its primary key. An event type has no id but its name. */
const FIND_SUBJECT_NAMES = `
  with entry as (
    select n, organization_id, action, subject_id
    from unnest($1::uuid[]) with ordinality as given (id, n)
    left join posthorn.audit_log using (id)
  )
  select
    case
      when entry.action like 'event_type.%' then entry.subject_id
      when delivery.id is not null then delivery.event_type || ' to ' || webhook.name
      when task.id is not null then
        case task.action
          when 'redeliver' then 'Redelivery' when 'cancel' then 'Cancelation' when 'recover' then 'Recovery' else 'Erasure' end
          || case when task.total_is_exact then ' of ' else ' of at least ' end || to_char(task.total, 'FM999,999,999')
          || case when task.action = 'erase' then case when task.total = 1 then ' event' else ' events' end
            when task.total = 1 then ' delivery' else ' deliveries' end
      else coalesce(webhook.name, consumer.name, key.name, key.token_hint || '…', organization.name)
    end as name
  from entry
  left join posthorn.deliveries as delivery
    on delivery.id = posthorn.parse_type_id('msg', entry.subject_id)
    and delivery.organization_id = entry.organization_id
  left join posthorn.bulk_tasks as task
    on task.id = posthorn.parse_type_id('task', entry.subject_id)
    and task.organization_id = entry.organization_id
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
    select coalesce(nullif(description, ''), substring(url from '^https://([^/?#]+)')) as name
    from posthorn.webhooks
    where id = coalesce(posthorn.parse_type_id('wh', entry.subject_id), delivery.webhook_id, incident.webhook_id)
      and organization_id = entry.organization_id
  ) as webhook on true
  order by entry.n`
