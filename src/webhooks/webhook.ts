import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { addBodyVersion, bodyColumns, chooseBody, WHOLE_EVENT } from '../bodies/choose-body.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { PrismaClient, Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { mintId, parseId, publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { expandSubscriptions, isPattern, readNames } from '../event-types/find-event-types.ts'
import type { FieldIssue } from '../lib/errors.ts'
import { notifyOnCommit } from '../live/notify.ts'
import type { AddressGuard } from '../outbound/public-address.ts'
import { backgroundQueue } from '../queue/background.ts'
import { cancelationKey, enqueue } from '../queue/jobs.ts'
import { auditedChanges, auditedWebhook } from './audited-webhook.ts'
import { checkEdit } from './check-edit.ts'
import { parseWebhook } from './check-webhook.ts'
import { claimGivenUid, claiming, claimUid } from './claim-uid.ts'
import { filterColumns, retryScheduleColumns } from './columns.ts'
import { encryptHeaders, readHeaders } from './encrypted-headers.ts'
import { endHoldInTransaction } from './end-hold.ts'
import {
  type EndpointProof,
  requireProof,
  type SendChallenge,
  verifiedAt,
} from './endpoint/challenge.ts'
import { withChallenge } from './endpoint/with-challenge.ts'
import { findWebhook, lockWebhook } from './find-webhook.ts'
import { followIncidents } from './follow-incidents.ts'
import { UNREADABLE } from './mask.ts'
import { type ChangeOptions, parseChanges } from './parse-changes.ts'
import { requireRoom } from './require-room.ts'
import { addSigningSecret } from './signing-secret.ts'
import { type NewWebhook, newWebhookSchema, type WebhookChanges } from './webhook-settings.ts'

/**
 * A registered endpoint with its decrypted custom headers. If no key decrypts them, `headers` has one placeholder,
 * which updates reject. `id` is the public id.
 */
export interface Webhook {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly enabled: boolean
  /** The names of event types: patterns are expanded. */
  readonly eventSubscriptions: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface WebhookDeps {
  readonly prisma: PrismaClient
  readonly keyring: Keyring
  readonly guard: AddressGuard
  /** The prefix of the names of Posthorn's delivery headers. Default: `wh-`. */
  readonly headerPrefix?: string
  /** Only in processes that serve the API. */
  readonly sendChallenge?: SendChallenge
}

/** The dependencies of changes. */
export interface ActingWebhookDeps extends WebhookDeps {
  /** The actor, for the audit log. */
  readonly actor: Actor
  /** What is wrong with parts of the request that are no fields of a webhook. Then nothing is changed. */
  readonly otherIssues?: readonly FieldIssue[]
  /** Whether subscriptions can be patterns. Default: no; then the list that is shown for patterns keeps them. */
  readonly allowsPatterns?: boolean
  /** That an endpoint has answered its challenge, for a change that needs it. */
  readonly proof?: EndpointProof
}

/** Throws if a change must not be made to the webhook as it is. The webhook is locked until the change commits. */
export type Precondition = (current: Webhook, row: WebhookRow) => void

/**
 * Creates a webhook with a signing secret. With `enabled`, events published after the commit are delivered. In a transaction
 * of the caller, `verifyEndpoint` throws `ChallengeNeeded` without a proof.
 */
export async function createWebhook(
  deps: ActingWebhookDeps,
  organizationId: string,
  input: NewWebhook,
  tx?: Db,
): Promise<Webhook> {
  if (tx) return await createWithProof(deps, organizationId, input, tx)
  return await withChallenge(deps, organizationId, (proving) =>
    createWithProof(proving, organizationId, input),
  )
}

async function createWithProof(
  deps: ActingWebhookDeps,
  organizationId: string,
  input: NewWebhook,
  tx?: Db,
): Promise<Webhook> {
  const { keyring, actor, proof } = deps
  const db = tx ?? deps.prisma
  const chosen = await chooseBody(db, input)
  const otherIssues = [...(deps.otherIssues ?? []), ...chosen.issues]
  const parsed = await parseWebhook(newWebhookSchema, input, { ...deps, db, otherIssues })
  const { headers, filter, retryScheduleSeconds, secret, ...fields } = parsed
  const body = chosen.body ?? WHOLE_EVENT
  // The encryption of the custom headers is bound to the id, so the id is generated first.
  const id = proof?.created?.uuid ?? (parseId('webhook', mintId('webhook')) as string)
  const headersCiphertext = encryptHeaders(keyring, headers, id)

  const insert = async (db: Db) => {
    if (fields.uid !== null) await claimUid(db, organizationId, fields.uid)
    const row = await db.webhook.create({
      data: {
        ...fields,
        ...retryScheduleColumns(retryScheduleSeconds),
        ...filterColumns(filter),
        ...bodyColumns(body),
        id,
        organizationId,
        headersCiphertext,
        endpointVerifiedAt: verifiedAt(null, fields, proof),
      },
    })
    await addBodyVersion(db, row, body)
    await addSigningSecret(db, keyring, id, proof?.created?.secret ?? secret)
    const webhook = await toWebhook(db, keyring, row)
    await writeAuditEntry(db, actor, {
      action: 'webhook.created',
      organizationId,
      subjectId: webhook.id,
      after: auditedWebhook(keyring, row),
    })
    await requireRoom(db, organizationId)
    await requireProof(db, { keyring, proof }, null, row)
    return webhook
  }
  return await actForOrganization(db, organizationId, insert, claiming(fields.uid))
}

/** The organization's webhook with a public id. Throws `not_found`. */
export async function getWebhook(
  { prisma, keyring }: WebhookDeps,
  organizationId: string,
  id: string,
): Promise<Webhook> {
  return await toWebhook(prisma, keyring, await findWebhook(prisma, organizationId, id))
}

/** Decrypting the rows of a page blocks the event loop for a few milliseconds at most. */
const LIST_PAGE_SIZE = 500

interface ListOptions {
  readonly limit?: number
  /** A uuid. */
  readonly after?: string
  /** Called with each page that was read. An error that it throws ends the reading. */
  readonly onRead?: (webhooks: readonly Webhook[]) => void
}

/** The organization's webhooks, oldest first: all, or up to `limit` after `after`. */
export async function listWebhooks(
  { prisma, keyring }: WebhookDeps,
  organizationId: string,
  { limit = Number.POSITIVE_INFINITY, after, onRead }: ListOptions = {},
): Promise<Webhook[]> {
  const found: Webhook[] = []
  for (let last = after; ; ) {
    const take = Math.min(limit - found.length, LIST_PAGE_SIZE)
    const rows = await prisma.webhook.findMany({
      where: { organizationId, deletedAt: null, ...(last && { id: { gt: last } }) },
      orderBy: { id: 'asc' },
      take,
    })
    const webhooks = await toWebhooks(prisma, keyring, rows)
    onRead?.(webhooks)
    found.push(...webhooks)
    last = rows.at(-1)?.id
    if (rows.length < take || found.length >= limit) return found
  }
}

/**
 * Changes the given fields of a webhook. Enabling also releases its backlog. If every field has the given value already,
 * `updatedAt`, the revision and the audit log stay the same. Throws `not_found`, `invalid` or an `EditConflict`.
 */
export async function updateWebhook(
  deps: ActingWebhookDeps,
  organizationId: string,
  id: string,
  input: WebhookChanges,
  options: UpdateOptions = {},
): Promise<Webhook> {
  const { prisma, keyring } = deps
  const { id: uuid } = await findWebhook(prisma, organizationId, id)
  const change = async (tx: Db, proving: ActingWebhookDeps) => {
    // Before the row, as upserts do, so that two callers never wait for each other.
    await claimGivenUid(tx, organizationId, input.uid, uuid)
    return await updateInTransaction(tx, proving, uuid, input, options)
  }
  const { row } = await withChallenge(deps, organizationId, (proving) =>
    actForOrganization(prisma, organizationId, (tx) => change(tx, proving), claiming(input.uid)),
  )
  return await toWebhook(prisma, keyring, row)
}

type UpdateOptions = ChangeOptions & { readonly precondition?: Precondition }

/** `updateWebhook` in a transaction that acts for the organization and has claimed the given uid. */
export async function updateInTransaction(
  tx: Db,
  deps: ActingWebhookDeps,
  uuid: string,
  input: WebhookChanges,
  { precondition, ...options }: UpdateOptions = {},
): Promise<{ row: WebhookRow; changed: boolean }> {
  const { keyring, actor } = deps
  const before = await lockWebhook(tx, uuid)
  const { columns: changes, body } = await parseChanges(tx, deps, before, input, options)
  precondition?.(await toWebhook(tx, keyring, before), before)
  const id = publicId('webhook', uuid)
  // Also for an enabled webhook: a worker that saw it disabled can have just parked a delivery.
  if (changes.enabled) await enqueueRelease(tx, id)
  const audited = auditedChanges(keyring, before, { ...before, ...changes } as WebhookRow)
  // The same selection can mean something else now.
  if (body?.plan != null) Object.assign(audited.after, { selection: body.selection })
  if (Object.keys(audited.after).length === 0) return { row: before, changed: false }
  await checkEdit(tx, before, options.ifRevision)
  const after = await tx.webhook.update({
    where: { id: before.id },
    data: {
      ...changes,
      endpointVerifiedAt: verifiedAt(
        before,
        {
          url: changes.url ?? before.url,
          verifyEndpoint: changes.verifyEndpoint ?? before.verifyEndpoint,
        },
        deps.proof,
      ),
      revision: { increment: 1 },
      updatedAt: new Date(),
    },
  })
  await requireProof(tx, deps, before, after)
  if (body) await addBodyVersion(tx, after, body)
  // A new URL, disabling or enabling ends the hold, so that the webhook gets a fresh start.
  const isSwitched = after.enabled !== before.enabled
  const hasFreshStart = after.url !== before.url || isSwitched
  const endedHold = hasFreshStart && (await endHoldInTransaction(tx, after.id))
  const { organizationId } = before
  if (isSwitched || endedHold) {
    await followIncidents(tx, after.id)
    await notifyOnCommit(tx, organizationId)
  }
  await writeAuditEntry(tx, actor, {
    action: 'webhook.updated',
    organizationId,
    subjectId: id,
    ...audited,
  })
  return { row: after, changed: true }
}

/** Deletes a webhook with its secrets and headers, and cancels its pending deliveries. */
export async function deleteWebhook(
  { prisma, keyring, actor }: Pick<ActingWebhookDeps, 'prisma' | 'keyring' | 'actor'>,
  organizationId: string,
  id: string,
  precondition?: Precondition,
): Promise<void> {
  const { id: uuid } = await findWebhook(prisma, organizationId, id)
  await actForOrganization(prisma, organizationId, async (tx) => {
    const before = await lockWebhook(tx, uuid)
    precondition?.(await toWebhook(tx, keyring, before), before)
    await tx.webhook.update({
      where: { id: uuid },
      data: {
        deletedAt: new Date(),
        enabled: false,
        headersCiphertext: null,
        revision: { increment: 1 },
      },
    })
    await tx.signingSecret.deleteMany({ where: { webhookId: uuid } })
    await tx.webhookSchedule.deleteMany({ where: { webhookId: uuid } })
    await followIncidents(tx, uuid)
    const job = { key: cancelationKey(id), queue: backgroundQueue(organizationId) }
    await enqueue(tx, 'cancel_deliveries', { webhookId: id }, job)
    await writeAuditEntry(tx, actor, {
      action: 'webhook.deleted',
      organizationId,
      subjectId: id,
      before: auditedWebhook(keyring, before),
    })
  })
}

async function enqueueRelease(db: Db, webhookId: string): Promise<void> {
  await enqueue(db, 'release_backlog', { webhookId }, { key: `release:${webhookId}` })
}

async function toWebhook(db: Db, keyring: Keyring, row: WebhookRow): Promise<Webhook> {
  const [webhook] = await toWebhooks(db, keyring, [row])
  return webhook as Webhook
}

async function toWebhooks(
  db: Db,
  keyring: Keyring,
  rows: readonly WebhookRow[],
): Promise<Webhook[]> {
  const hasPattern = rows.some(({ eventSubscriptions }) => eventSubscriptions.some(isPattern))
  const catalogue = hasPattern ? await readNames(db) : []
  return rows.map((row) => decrypt(keyring, row, catalogue))
}

function decrypt(keyring: Keyring, row: WebhookRow, catalogue: readonly string[]): Webhook {
  return {
    id: publicId('webhook', row.id),
    url: row.url,
    description: row.description,
    enabled: row.enabled,
    eventSubscriptions: expandSubscriptions(row.eventSubscriptions, catalogue),
    headers: readHeaders(keyring, row.headersCiphertext, row.id) ?? { [UNREADABLE]: UNREADABLE },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
