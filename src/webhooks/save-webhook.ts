import { formatSecret, generateSigningKey, parseSecret } from '../../packages/receiver/src/sign.ts'
import { changedFields, writeAuditEntry } from '../auth/audit/audit-entry.ts'
import { addBodyVersion } from '../bodies/body.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { Prisma, Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { mintId, parseId, publicId } from '../db/ids.ts'
import { invalid } from '../lib/errors.ts'
import type { Upserted } from '../lib/setting.ts'
import { lockUid, uidTaken } from '../organizations/own-names/uid.ts'
import { enqueue } from '../queue/jobs.ts'
import { notifyOnCommit } from '../streams/live/notify.ts'
import { type EndpointProof, verifiedAt, withChallenge } from './challenge.ts'
import { endHoldInTransaction, followIncidents } from './end-hold.ts'
import { checkEdit, lockWebhook, type WebhookName } from './find-webhooks.ts'
import { type ReadOptions, readSettings } from './read-settings.ts'
import { addSigningSecret } from './signing-secret.ts'
import {
  type ActingWebhookDeps,
  auditedWebhook,
  type Precondition,
  toWebhook,
  type Webhook,
} from './webhook.ts'
import type { WebhookInput } from './webhook-settings.ts'

export interface SaveOptions extends ReadOptions {
  /** The revision that the caller read. An update throws an `EditConflict` if its settings were changed since. */
  readonly ifRevision?: number | null | undefined
  readonly precondition?: Precondition
}

interface SavedWebhook extends Upserted {
  readonly row: WebhookRow
}

/**
 * Creates a webhook with a signing secret, if none is named, or changes the given settings of the named one. One that is
 * named by its uid is created if there is none, and keeps its secret otherwise; of concurrent calls, one creates. Enabling
 * also releases the backlog. If every setting has the given value already, `updatedAt`, the revision and the audit log stay
 * the same. Throws `not_found`, `invalid`, an `EditConflict`, or an `EndpointUnverified`. In a transaction of the caller,
 * `verifyEndpoint` throws `ChallengeNeeded`.
 */
export async function saveWebhook(
  deps: ActingWebhookDeps,
  organizationId: string,
  named: WebhookName | null,
  given: WebhookInput,
  options: SaveOptions = {},
  tx?: Db,
): Promise<SavedWebhook> {
  const input = named !== null && 'uid' in named ? { ...given, uid: named.uid } : given
  // Of a new webhook, which is the same after a challenge: the id also binds the encryption of the custom headers.
  const uuid = parseId('webhook', mintId('webhook')) as string
  const secret = given.secret ?? formatSecret(generateSigningKey())
  const save = (db: Db, proof: EndpointProof | null) =>
    actForOrganization(db, organizationId, async (tx) => {
      // Before the row, so that two callers never wait for each other.
      if (typeof input.uid === 'string') await lockUid(tx, organizationId, input.uid)
      const before = named && (await lockWebhook(tx, organizationId, named))
      return before
        ? await change(tx, deps, before, input, options, proof)
        : await create(tx, deps, { uuid, organizationId, secret }, input, options, proof)
    })
  if (tx) return await save(tx, null)
  return await withChallenge(deps, organizationId, (proof) => save(deps.prisma, proof))
}

/** Creates a webhook. With `enabled`, events published after the commit are delivered. */
export async function createWebhook(
  deps: ActingWebhookDeps,
  organizationId: string,
  input: WebhookInput,
  options: SaveOptions = {},
  tx?: Db,
): Promise<Webhook> {
  const { row } = await saveWebhook(deps, organizationId, null, input, options, tx)
  return await toWebhook(tx ?? deps.prisma, deps.keyring, row)
}

export async function updateWebhook(
  deps: ActingWebhookDeps,
  organizationId: string,
  id: string,
  input: WebhookInput,
  options: SaveOptions = {},
): Promise<Webhook> {
  const { row } = await saveWebhook(deps, organizationId, { id }, input, options)
  return await toWebhook(deps.prisma, deps.keyring, row)
}

async function create(
  tx: Db,
  deps: ActingWebhookDeps,
  { uuid, organizationId, secret }: Record<'uuid' | 'organizationId' | 'secret', string>,
  input: WebhookInput,
  options: SaveOptions,
  proof: EndpointProof | null,
): Promise<SavedWebhook> {
  const { keyring } = deps
  const { columns, body } = await readSettings(tx, deps, { id: uuid }, input, options)
  await requireFreeUid(tx, organizationId, columns.uid, uuid)
  await requireRoom(tx, organizationId)
  const created = { ...columns, id: uuid, organizationId } as WebhookRow &
    Prisma.WebhookUncheckedCreateInput
  const endpointVerifiedAt = await verifiedAt(keyring, proof, null, created, () =>
    parseSecret(secret),
  )
  const row = await tx.webhook.create({ data: { ...created, endpointVerifiedAt } })
  if (body) await addBodyVersion(tx, row, body)
  await addSigningSecret(tx, keyring, uuid, secret)
  const id = publicId('webhook', uuid)
  await writeAuditEntry(tx, deps.actor, {
    action: 'webhook.created',
    organizationId,
    subjectId: id,
    after: auditedWebhook(keyring, row),
  })
  return { row, id, created: true, changed: true }
}

async function change(
  tx: Db,
  deps: ActingWebhookDeps,
  before: WebhookRow,
  input: WebhookInput,
  options: SaveOptions,
  proof: EndpointProof | null,
): Promise<SavedWebhook> {
  const { keyring, actor } = deps
  const { id: uuid, organizationId } = before
  const id = publicId('webhook', uuid)
  const { columns, body } = await readSettings(tx, deps, before, input, options)
  await requireFreeUid(tx, organizationId, columns.uid, uuid)
  options.precondition?.(await toWebhook(tx, keyring, before))
  const changed = { ...before, ...columns } as WebhookRow
  const audited = changedFields(
    auditedWebhook(keyring, before),
    auditedWebhook(keyring, changed, before),
  )
  // The same selection can mean something else now.
  if (body?.plan != null) Object.assign(audited.after, { selection: body.selection })
  if (Object.keys(audited.after).length === 0) {
    return { row: before, id, created: false, changed: false }
  }
  await checkEdit(tx, before, options.ifRevision)
  const row = await tx.webhook.update({
    where: { id: uuid },
    data: {
      ...columns,
      endpointVerifiedAt: await verifiedAt(keyring, proof, before, changed, async () => {
        const current = { webhookId: uuid, expiresAt: null }
        const found = await tx.signingSecret.findFirstOrThrow({ where: current })
        return keyring.decrypt(found.keyCiphertext, found.id)
      }),
      revision: { increment: 1 },
      updatedAt: new Date(),
    },
  })
  if (body) await addBodyVersion(tx, row, body)
  // A new URL, disabling or enabling ends the hold, so that the webhook gets a fresh start.
  const isSwitched = row.enabled !== before.enabled
  const hasFreshStart = row.url !== before.url || isSwitched
  const endedHold = hasFreshStart && (await endHoldInTransaction(tx, uuid))
  if (isSwitched && row.enabled) {
    await enqueue(tx, 'release_backlog', { webhookId: id }, { key: `release:${id}` })
  }
  if (isSwitched || endedHold) {
    await followIncidents(tx, uuid)
    await notifyOnCommit(tx, organizationId)
  }
  const entry = { action: 'webhook.updated', organizationId, subjectId: id } as const
  await writeAuditEntry(tx, actor, { ...entry, ...audited })
  return { row, id, created: false, changed: true }
}

/**
 * Throws `invalid` if another webhook of the organization has the uid, which the transaction has locked. The error does not
 * name the other one, which a session may not see.
 */
async function requireFreeUid(
  tx: Db,
  organizationId: string,
  uid: string | null | undefined,
  uuid: string,
): Promise<void> {
  if (uid == null) return
  const where = { organizationId, uid, deletedAt: null, id: { not: uuid } }
  if (await tx.webhook.findFirst({ where, select: { id: true } })) {
    throw uidTaken(uid, 'another webhook of the organization')
  }
}

/** The maximum number of webhooks of an organization: each event is compared with all of them. */
const MAX_WEBHOOKS = 1_000

/** Throws `invalid` if a new webhook is one too many. Concurrent creations can exceed the maximum by their number. */
async function requireRoom(tx: Db, organizationId: string): Promise<void> {
  const count = await tx.webhook.count({ where: { organizationId, deletedAt: null } })
  if (count < MAX_WEBHOOKS) return
  const detail = 'An organization can have 1,000 webhooks. Delete one that is no longer used.'
  throw invalid([{ path: [], code: 'too_many_webhooks', detail }])
}
