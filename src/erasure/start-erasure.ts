import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { mintUuid, publicId } from '../db/ids.ts'
import type { Unsent } from '../deliveries/erase-events.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { findSearchKey } from '../event-types/find-search-key.ts'
import { DomainError, notFound } from '../lib/errors.ts'
import { backgroundQueue } from '../queue/background.ts'
import { enqueue } from '../queue/jobs.ts'
import { hashKey } from './hashed-key.ts'
import { type GivenSelection, type ParsedSelection, parseSelection } from './parse-erasure.ts'
import { countEvents, type EventCount, type SelectedEvents } from './select-events.ts'
import type { Selection } from './selection.ts'

export interface StartDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  readonly webhooks: { readonly keyring: Keyring }
  /** The actor, for the audit log. */
  readonly actor: Actor
}

export interface ErasureInput extends GivenSelection {
  readonly unsent: Unsent
  readonly dryRun?: boolean | null | undefined
}

/** A started erasure, or the count of a dry run. */
export interface StartedErasure extends EventCount {
  /** A public id. Null for a dry run. */
  readonly erasureId: string | null
}

/**
 * Starts to erase the contents of events in the background. A dry run only counts them. Throws `not_found` for an id of
 * another organization, and `conflict` if too many erasures of the organization are running.
 */
export async function erase(
  deps: StartDeps,
  organizationUuid: string,
  { unsent, dryRun, ...given }: ErasureInput,
): Promise<StartedErasure> {
  const parsed = parseSelection(given)
  const selected = await toSelected(deps.sql, organizationUuid, parsed)
  const counted = await countEvents(deps.sql, selected)
  if (dryRun) return { ...counted, erasureId: null }
  const erasureId = await startErasure(deps, selected, unsent, counted, null)
  return { ...counted, erasureId }
}

async function toSelected(
  sql: Sql,
  organizationUuid: string,
  parsed: ParsedSelection,
): Promise<SelectedEvents> {
  const of = (selection: Selection, value: string | null = null) => {
    return { organizationUuid, selection, value }
  }
  if ('key' in parsed) {
    const key = await findSearchKey(sql, parsed.key, 'key')
    return of({ key: hashKey(key) }, key.equals)
  }
  if ('filter' in parsed) {
    // Later events are those of another erasure.
    const until = parsed.filter.until ?? new Date(Date.now() + 1)
    await requireOwn(sql, 'webhook', organizationUuid, parsed.filter.webhookIds ?? [])
    return of({ filter: { ...parsed.filter, until } })
  }
  if ('eventUuids' in parsed) {
    await requireOwn(sql, 'event', organizationUuid, parsed.eventUuids)
    return of({ eventIds: parsed.eventUuids })
  }
  const eventIds = await requireOwn(sql, 'delivery', organizationUuid, parsed.deliveryUuids)
  return of({ eventIds })
}

const OWN = {
  event: 'select id, id as "eventId" from posthorn.events',
  delivery: 'select id, event_id as "eventId" from posthorn.deliveries',
  webhook: 'select id, id as "eventId" from posthorn.webhooks',
}

/** Returns the uuids of the events. Throws `not_found` for the first id of another organization. */
async function requireOwn(
  sql: Sql,
  kind: keyof typeof OWN,
  organizationUuid: string,
  uuids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; eventId: string }>(
    `${OWN[kind]} where id = any ($1::uuid[]) and organization_id = $2`,
    [uuids, organizationUuid],
  )
  const own = new Set(rows.map(({ id }) => id))
  const unknown = uuids.find((uuid) => !own.has(uuid))
  if (unknown) throw notFound(kind, publicId(kind, unknown))
  return [...new Set(rows.map(({ eventId }) => eventId))]
}

const MAX_RUNNING = 10

/** Creates the erasure and its first job in one transaction. Returns the public id. */
export async function startErasure(
  { prisma, webhooks: { keyring }, actor }: StartDeps,
  { organizationUuid, selection, value }: SelectedEvents,
  unsent: Unsent,
  { count, exact }: EventCount,
  repeats: string | null,
): Promise<string> {
  const id = mintUuid()
  const erasureId = publicId('erasure', id)
  await actForOrganization(prisma, organizationUuid, async (tx) => {
    await tx.$queryRaw`
      select pg_advisory_xact_lock(hashtextextended('posthorn.erasures:' || ${organizationUuid}, 0))::text`
    const running = await tx.erasure.count({
      where: { organizationId: organizationUuid, state: 'running' },
    })
    if (running >= MAX_RUNNING && repeats === null) {
      throw new DomainError(
        'conflict',
        `${running} erasures of the organization are running, and it can have ${MAX_RUNNING} at a time. Wait until one ends.`,
      )
    }
    await tx.erasure.create({
      data: {
        ...{
          id,
          organizationId: organizationUuid,
          unsent,
          total: count,
          totalIsExact: exact,
          repeats,
        },
        selection: JSON.parse(JSON.stringify(selection)),
        ...(value !== null && { valueCiphertext: keyring.encrypt(Buffer.from(value), id) }),
      },
      select: { id: true },
    })
    const job = { key: erasureId, queue: backgroundQueue(organizationUuid) }
    await enqueue(tx, 'continue_erasure', { erasureId }, job)
    await writeAuditEntry(tx, actor, {
      action: 'erasure.started',
      organizationId: organizationUuid,
      subjectId: erasureId,
      after: audited(selection, unsent),
    })
  })
  return erasureId
}

/** Without the value of a search key. */
function audited(selection: Selection, unsent: Unsent): object {
  if ('key' in selection) return { key: selection.key.path, unsent }
  if ('eventIds' in selection) {
    return { eventIds: selection.eventIds.map((uuid) => publicId('event', uuid)), unsent }
  }
  const { webhookIds, ...filter } = selection.filter
  const named = webhookIds?.map((uuid) => publicId('webhook', uuid))
  return { filter: { ...filter, ...(named && { webhookIds: named }) }, unsent }
}
