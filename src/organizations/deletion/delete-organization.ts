import type { Actor } from '../../auth/access/actor.ts'
import { writeAuditEntry } from '../../auth/audit/audit-entry.ts'
import type { Db } from '../../db/client.ts'
import type { BulkTask, Prisma } from '../../db/generated/prisma/client.ts'
import { parseId, publicId } from '../../db/ids.ts'
import { type Page, pageOf } from '../../db/page.ts'
import { joinTransaction } from '../../db/transaction.ts'
import { DomainError, notFound } from '../../lib/errors.ts'
import { startWork } from '../../queue/long-work.ts'

/**
 * Deletes an organization. Once this returns, its API keys and sessions are refused in every process, nothing is published
 * or sent for it, and its webhooks are deleted with their secrets and headers. Jobs then delete its rows and leave a
 * tombstone. Returns the public id of the deletion. A second call changes nothing. Throws `not_found`, or `conflict` if the organization has enabled webhooks and
 * `force` is false, or if the caller's own API key belongs to the organization.
 */
export async function deleteOrganization(
  db: Db,
  id: string,
  { force }: { readonly force: boolean },
  actor: Actor,
): Promise<string> {
  const uuid = parseId('organization', id)
  if (!uuid) throw notFound('organization', id)
  return await joinTransaction(db, async (tx) => {
    // Waits for changes that refer to the organization, such as a new webhook, and they wait for this one.
    const organizations = await tx.$queryRaw<object[]>`
      select from posthorn.organizations where id = ${uuid}::uuid for update`
    const [begun] = await findDeletions(tx, id)
    if (begun) return publicId('bulkTask', begun.id)
    if (organizations.length === 0) throw notFound('organization', id)
    await refuseOwn(tx, id, uuid, actor)
    await tx.$executeRaw`
      update posthorn.organizations
      set deleted_at = now(), uid = null, metadata = default, revision = revision + 1 where id = ${uuid}::uuid`
    await deleteWebhooks(tx, id, uuid, force)
    await tx.$executeRaw`
      update posthorn.api_keys set revoked_at = now()
      where organization_id = ${uuid}::uuid and revoked_at is null`
    await tx.$executeRaw`
      delete from posthorn.sessions
      where api_key_id in (select k.id from posthorn.api_keys as k where k.organization_id = ${uuid}::uuid)`
    await tx.$executeRaw`
      update posthorn.bulk_tasks set state = 'canceled', finished_at = now(), value_ciphertext = null
      where organization_id = ${uuid}::uuid and state = 'running'`
    const deletionId = await startWork(tx, {
      ...{ action: 'delete_organization', organizationId: uuid },
      ...{ selection: { requestedBy: nameOf(actor) }, total: 0, totalIsExact: false },
    })
    await tx.$executeRaw`
      update posthorn.settings set operator_organization_id = null where operator_organization_id = ${uuid}::uuid`
    // Of no organization, so that the entry stays.
    await writeAuditEntry(tx, actor, {
      action: 'organization.deleted',
      organizationId: null,
      subjectId: id,
      after: { force },
    })
    return deletionId
  })
}

/** The key would stop, and its owner could not follow the deletion. */
async function refuseOwn(
  tx: Db,
  id: string,
  uuid: string,
  { apiKeyId }: Pick<Actor, 'apiKeyId'>,
): Promise<void> {
  if (apiKeyId === null) return
  const isOwn = await tx.apiKey.count({ where: { id: apiKeyId, organizationId: uuid } })
  if (isOwn === 0) return
  throw new DomainError(
    'conflict',
    `Your API key belongs to the organization ${id}, and would stop with it. Nothing was deleted. Use a key of another organization, or run \`posthorn organization delete\` where the database is.`,
  )
}

/** The tombstone keeps it. */
function nameOf({ person, apiKeyId }: Actor): string {
  if (person !== null) return person
  return apiKeyId === null ? 'command line' : publicId('apiKey', apiKeyId)
}

/** Locks all of them, so that none is enabled in the meantime. The job deletes the rows. */
async function deleteWebhooks(tx: Db, id: string, uuid: string, force: boolean): Promise<void> {
  const webhooks = await tx.$queryRaw<{ enabled: boolean }[]>`
    select enabled from posthorn.webhooks where organization_id = ${uuid}::uuid and deleted_at is null
    order by id for update`
  const enabled = webhooks.filter((webhook) => webhook.enabled).length
  if (enabled > 0 && !force) {
    throw new DomainError(
      'conflict',
      `The organization ${id} has ${enabled.toLocaleString('en')} enabled ${enabled === 1 ? 'webhook' : 'webhooks'}. Nothing was deleted. Disable or delete ${enabled === 1 ? 'it' : 'them'}, or delete the organization with force, which cancels all deliveries that wait.`,
    )
  }
  await tx.signingSecret.deleteMany({ where: { webhook: { organizationId: uuid } } })
  await tx.$executeRaw`
    delete from posthorn.webhook_schedules
    where webhook_id in (select w.id from posthorn.webhooks as w where w.organization_id = ${uuid}::uuid)`
  await tx.webhook.updateMany({
    where: { organizationId: uuid, deletedAt: null },
    data: {
      deletedAt: new Date(),
      enabled: false,
      headersCiphertext: null,
      revision: { increment: 1 },
    },
  })
}

/** A page of the deletions of all organizations, or of that with a public id, newest first. Default: the newest 10. */
export async function findDeletions(
  db: Db,
  id: string | null | undefined,
  query: Pick<Prisma.BulkTaskFindManyArgs, 'select'> & Page = { take: 10 },
): Promise<BulkTask[]> {
  const organizationId = id == null ? undefined : parseId('organization', id)
  if (organizationId === null) return []
  const { where, ...page } = pageOf(query, 'newest first')
  const ofOne = organizationId && { organizationId }
  return await db.bulkTask.findMany({
    ...page,
    where: { ...where, ...ofOne, action: 'delete_organization' },
  })
}
