import { onlyEvent } from '../events/publish-events.ts'
import { fieldIssue, invalid, notFound } from '../lib/errors.ts'
import { findOrganizationUuid } from '../organizations/find-organization.ts'
import type { Services } from './services.ts'

/** An event of the application that runs Posthorn in its process. */
export interface HostEvent {
  /** `org_…` or its uid. Default: the only organization of the installation. */
  readonly organization?: string
  /** The name of an event type of the catalogue. */
  readonly type: string
  /** Any JSON value but null, of at most 256 KiB as JSON, which matches the schema of the type. */
  readonly data: unknown
  /** What `data` was before the change that the event reports. */
  readonly previous?: unknown
  /** Default: now. */
  readonly occurredAt?: Date
  /** 1 to 255 characters: for 24 hours, publishing with the same key returns the first event. */
  readonly idempotencyKey?: string
}

export interface HostPublished {
  /** `evt_…` */
  readonly id: string
  /** The number of webhooks that get it. */
  readonly deliveryCount: number
  /** Whether the idempotency key was used before. */
  readonly duplicate: boolean
}

/** Publishes by the rules of the mutation `publishEvent`. */
export async function publishForHost(
  { database, publishEvents }: Services,
  { organization, ...event }: HostEvent,
): Promise<HostPublished> {
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
