import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { mintUuid, parseId, publicId } from '../db/ids.ts'
import type { Unsent } from '../deliveries/erase-events.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { findSearchKey, type SearchKey } from '../event-types/find-search-key.ts'
import { DomainError, fieldIssue, invalid, notFound } from '../lib/errors.ts'
import { backgroundQueue } from '../queue/background.ts'
import { enqueue } from '../queue/jobs.ts'
import { countEvents, type EventCount } from './select-events.ts'
import type { SelectedEvents, Selection } from './selection.ts'

export interface StartDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  readonly webhooks: { readonly keyring: Keyring }
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** Exactly one of `eventIds` and `searchKey` is needed. */
export interface ErasureInput {
  /** Public ids. */
  readonly eventIds?: readonly string[] | null | undefined
  readonly searchKey?: SearchKey | null | undefined
  readonly unsent: Unsent
  readonly dryRun?: boolean | null | undefined
}

/** A started erasure, or the count of a dry run. */
export interface StartedErasure extends EventCount {
  /** A public id. Null for a dry run. */
  readonly erasureId: string | null
}

/**
 * Starts to erase the contents of events in the background. A dry run only counts them. Throws `invalid`, `not_found` for an
 * id of another organization, and `conflict` if too many erasures of the organization are running.
 */
export async function erase(
  deps: StartDeps,
  organizationUuid: string,
  { unsent, dryRun, ...given }: ErasureInput,
): Promise<StartedErasure> {
  const selected = await readSelection(deps.sql, organizationUuid, given)
  const counted = await countEvents(deps.sql, selected)
  if (dryRun) return { ...counted, erasureId: null }
  return { ...counted, erasureId: await startErasure(deps, selected, unsent, counted) }
}

async function readSelection(
  sql: Sql,
  organizationUuid: string,
  { eventIds, searchKey }: Pick<ErasureInput, 'eventIds' | 'searchKey'>,
): Promise<SelectedEvents> {
  if (eventIds && !searchKey) {
    const uuids = readIds(eventIds)
    await requireOwn(sql, organizationUuid, uuids)
    return { organizationUuid, selection: { eventIds: uuids }, value: null }
  }
  if (searchKey && !eventIds) {
    const { path, equals } = await findSearchKey(sql, searchKey, 'searchKey')
    return { organizationUuid, selection: { searchKey: path }, value: equals }
  }
  const rule = 'or searchKey is needed. Give exactly one of the two.'
  throw invalid([fieldIssue(['eventIds'], 'ids_or_key', rule)])
}

export const MAX_IDS = 1_000

function readIds(ids: readonly string[]): string[] {
  if (ids.length === 0) throw invalid([fieldIssue(['eventIds'], 'required', 'must not be empty.')])
  if (ids.length > MAX_IDS) {
    const rule = `must have at most ${MAX_IDS.toLocaleString('en')} entries, not ${ids.length.toLocaleString('en')}. Start several erasures.`
    throw invalid([fieldIssue(['eventIds'], 'too_many', rule)])
  }
  const uuids = ids.map((id) => parseId('event', id))
  const issues = uuids.flatMap((uuid, i) =>
    uuid === null
      ? [fieldIssue(['eventIds', i], 'invalid_id', 'must be the id of an event: evt_….')]
      : [],
  )
  if (issues.length > 0) throw invalid(issues)
  return [...new Set(uuids as string[])]
}

async function requireOwn(
  sql: Sql,
  organizationUuid: string,
  uuids: readonly string[],
): Promise<void> {
  const { rows } = await sql.query<{ id: string }>(
    'select id from posthorn.events where id = any ($1::uuid[]) and organization_id = $2',
    [uuids, organizationUuid],
  )
  const own = new Set(rows.map(({ id }) => id))
  const unknown = uuids.find((uuid) => !own.has(uuid))
  if (unknown) throw notFound('event', publicId('event', unknown))
}

const MAX_RUNNING = 10

/** Creates the erasure and its first job in one transaction. Returns the public id. */
async function startErasure(
  { prisma, webhooks: { keyring }, actor }: StartDeps,
  { organizationUuid, selection, value }: SelectedEvents,
  unsent: Unsent,
  { count, exact }: EventCount,
): Promise<string> {
  const id = mintUuid()
  const erasureId = publicId('erasure', id)
  await actForOrganization(prisma, organizationUuid, async (tx) => {
    await tx.$queryRaw`
      select pg_advisory_xact_lock(hashtextextended('posthorn.erasures:' || ${organizationUuid}, 0))::text`
    const running = await tx.erasure.count({
      where: { organizationId: organizationUuid, state: 'running' },
    })
    if (running >= MAX_RUNNING) {
      throw new DomainError(
        'conflict',
        `${running} erasures of the organization are running, and it can have ${MAX_RUNNING} at a time. Wait until one ends.`,
      )
    }
    await tx.erasure.create({
      data: {
        id,
        organizationId: organizationUuid,
        unsent,
        total: count,
        totalIsExact: exact,
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
      after: { ...audited(selection), unsent },
    })
  })
  return erasureId
}

function audited(selection: Selection): object {
  if ('searchKey' in selection) return selection
  return { eventIds: selection.eventIds.map((uuid) => publicId('event', uuid)) }
}
