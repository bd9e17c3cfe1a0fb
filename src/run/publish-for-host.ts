import type { NewEvent } from '../events/check-event.ts'
import { onlyEvent, type PublishedEvent } from '../events/publish-events.ts'
import { fieldIssue, invalid, notFound } from '../lib/errors.ts'
import { findOrganizationUuid } from '../organizations/find-organization.ts'
import type { Services } from './services.ts'

/** An event of the application that runs Posthorn in its process. */
export type HostEvent = Required<Pick<NewEvent, 'type' | 'data'>> &
  Pick<NewEvent, 'previous' | 'occurredAt' | 'idempotencyKey'> & {
    /** `org_…` or its uid. Default: the only organization of the installation. */
    readonly organization?: string
  }

/** Publishes by the rules of the mutation `publishEvent`. */
export async function publishForHost(
  { database, publishEvents }: Services,
  { organization, ...event }: HostEvent,
): Promise<PublishedEvent> {
  const uuid =
    organization === undefined
      ? await onlyOrganization(database)
      : await findOrganizationUuid(database.pool, organization)
  if (uuid === null) throw notFound('organization', organization ?? 'of the installation')
  return await onlyEvent(publishEvents(uuid, [event]))
}

/** Throws if there are several. */
async function onlyOrganization({ pool }: Services['database']): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from posthorn.organizations where deleted_at is null limit 2',
  )
  if (rows.length < 2) return rows[0]?.id ?? null
  throw invalid([fieldIssue(['organization'], 'required', 'is required, as there are several.')])
}
