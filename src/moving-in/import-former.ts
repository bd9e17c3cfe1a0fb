import type { Actor } from '../access/actor.ts'
import type { Db } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { createEventType } from '../event-types/edit-event-type.ts'
import { findEventTypesByNames, readNames } from '../event-types/find-event-types.ts'
import { isPattern } from '../event-types/subscriptions.ts'
import { DomainError } from '../lib/errors.ts'
import { createOrganization } from '../organizations/organization.ts'
import { type ActingWebhookDeps, createWebhook } from '../webhooks/webhook.ts'
import type { FormerOrganization, FormerWebhook } from './former-sender.ts'

export interface ImportRules {
  /** Whether webhooks that were enabled, and lack nothing, are enabled. Otherwise all are disabled. */
  readonly enables: boolean
  /** Whether event types that the catalogue lacks are created. */
  readonly createsEventTypes: boolean
  /** Whether everything is checked and nothing written. */
  readonly isDryRun: boolean
}

export interface ImportedObject {
  readonly kind: 'organization' | 'webhook' | 'event type'
  /** The uid, or the name of the event type. Of a webhook, with that of its organization before a slash. */
  readonly name: string
  readonly outcome: 'created' | 'existing' | 'left out'
  /** Null in a dry run, and for what is left out. */
  readonly id: string | null
  /** Of a created webhook. */
  readonly enabled: boolean | null
  /** What could not be taken over, or why the object is left out. */
  readonly lacks: readonly string[]
}

interface Deps extends ActingWebhookDeps {
  readonly prisma: PrismaClient
  readonly actor: Actor
}

/**
 * Creates the organization and the webhooks of a former sender that do not exist here by their uids. What exists stays as
 * it is. Yields what became of each, so that a caller who is stopped knows how far the import came; the next import
 * continues.
 */
export async function* importFormer(
  deps: Deps,
  former: FormerOrganization,
  rules: ImportRules,
): AsyncGenerator<ImportedObject> {
  yield* missingEventTypes(deps, former, rules)
  if (rules.isDryRun) {
    yield* await checkFormer(deps, former, rules)
    return
  }
  const organization = await takeOrganization(deps.prisma, deps, former)
  yield organization.result
  if (organization.uuid === null) return
  for (const webhook of former.webhooks) {
    yield await takeWebhook(deps.prisma, deps, organization.uuid, former, webhook, rules)
  }
}

/** Does the same in a transaction that is rolled back. */
async function checkFormer(deps: Deps, former: FormerOrganization, rules: ImportRules) {
  const results: ImportedObject[] = []
  try {
    await deps.prisma.$transaction(
      async (tx) => {
        const { uuid, result } = await takeOrganization(tx, deps, former)
        results.push({ ...result, id: result.outcome === 'existing' ? result.id : null })
        if (uuid === null) throw new RolledBack()
        for (const webhook of former.webhooks) {
          const taken = await takeWebhook(tx, deps, uuid, former, webhook, rules)
          results.push({ ...taken, id: taken.outcome === 'existing' ? taken.id : null })
        }
        throw new RolledBack()
      },
      { timeout: 60_000, isolationLevel: 'ReadCommitted' },
    )
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  return results
}

class RolledBack extends Error {}

async function* missingEventTypes(
  { prisma, actor }: Deps,
  { webhooks }: FormerOrganization,
  { createsEventTypes, isDryRun }: ImportRules,
): AsyncGenerator<ImportedObject> {
  if (!createsEventTypes) return
  for (const name of await unknownNames(prisma, webhooks)) {
    const type = { kind: 'event type', name, id: null, enabled: null } as const
    try {
      const description = 'Taken over from the former sender.'
      const input = { name, description, schema: null, example: null, searchKeys: [], group: null }
      if (!isDryRun) await createEventType(prisma, input, actor)
      yield { ...type, outcome: 'created', lacks: [] }
    } catch (error) {
      yield { ...type, outcome: 'left out', lacks: [reasonOf(error)] }
    }
  }
}

async function unknownNames(db: Db, webhooks: readonly FormerWebhook[]): Promise<string[]> {
  const names = webhooks.flatMap(({ fields }) => fields?.eventSubscriptions ?? [])
  const wanted = [...new Set(names)].filter((name) => !isPattern(name))
  // Archived ones are known, too.
  const known = await findEventTypesByNames(db, wanted, { select: { name: true } })
  return wanted.filter((name) => !known.has(name)).sort()
}

async function takeOrganization(
  db: Db,
  { actor }: Deps,
  { uid, name, metadata, lacks }: FormerOrganization,
): Promise<{ uuid: string | null; result: ImportedObject }> {
  const object = { kind: 'organization', name: uid, enabled: null } as const
  const found = await db.organization.findUnique({ where: { uid }, select: { id: true } })
  if (found) {
    const id = publicId('organization', found.id)
    return { uuid: found.id, result: { ...object, id, outcome: 'existing', lacks: [] } }
  }
  try {
    const shortened = name.slice(0, 200)
    const created = await createOrganization(db, { name: shortened, uid, metadata }, actor)
    const id = publicId('organization', created.id)
    return { uuid: created.id, result: { ...object, id, outcome: 'created', lacks } }
  } catch (error) {
    const result = { ...object, id: null, outcome: 'left out', lacks: [reasonOf(error)] } as const
    return { uuid: null, result }
  }
}

async function takeWebhook(
  db: Db,
  deps: Deps,
  organizationId: string,
  former: FormerOrganization,
  { uid, fields, wasEnabled, lacks }: FormerWebhook,
  rules: ImportRules,
): Promise<ImportedObject> {
  const object = { kind: 'webhook', name: `${former.uid}/${uid}`, enabled: null } as const
  if (fields === null) return { ...object, id: null, outcome: 'left out', lacks }
  const where = { organizationId, uid, deletedAt: null }
  const found = await db.webhook.findFirst({ where, select: { id: true } })
  if (found) {
    return { ...object, id: publicId('webhook', found.id), outcome: 'existing', lacks: [] }
  }
  const enabled = rules.enables && wasEnabled && lacks.length === 0
  try {
    const eventSubscriptions = rules.isDryRun
      ? await subscriptionsInDryRun(db, fields.eventSubscriptions, rules)
      : fields.eventSubscriptions
    // A dry run is one transaction for all; otherwise each webhook has one of its own.
    const tx = rules.isDryRun ? db : undefined
    const input = { ...fields, eventSubscriptions, uid, enabled }
    const acting = { ...deps, allowsPatterns: true }
    const { id } = await createWebhook(acting, organizationId, input, tx)
    return { ...object, id, enabled, outcome: 'created', lacks }
  } catch (error) {
    return { ...object, id: null, outcome: 'left out', lacks: [reasonOf(error)] }
  }
}

/** A dry run creates no event types, so those that an import would create are not asked of the catalogue. */
async function subscriptionsInDryRun(
  db: Db,
  wanted: readonly string[],
  { createsEventTypes }: ImportRules,
): Promise<string[]> {
  if (!createsEventTypes) return [...wanted]
  const known = new Set(await readNames(db))
  const existing = wanted.filter((name) => isPattern(name) || known.has(name))
  return existing.length > 0 ? existing : ['*']
}

function reasonOf(error: unknown): string {
  if (error instanceof DomainError) return error.message
  throw error
}
