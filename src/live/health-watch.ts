import type { Sql } from '../db/client.ts'
import type { LiveEvent, LiveHealth } from './live-event.ts'

/** Derives changes of webhook health from the live events of all processes. */
export interface HealthWatch {
  /** Resolves once `changes` covers the webhooks of an organization. */
  watch(organizationId: string): Promise<void>
  unwatch(organizationId: string): void
  /** Returns the changes of health that follow from live events. Await each call before the next one. */
  changes(liveEvents: readonly LiveEvent[]): Promise<LiveEvent[]>
}

interface Condition {
  disabled: boolean
  onHold: boolean
  failing: boolean
  /** The newest attempt that changed the condition; empty before the first. */
  attemptId: string
}

/** Conditions by webhook id. A missing webhook is healthy. */
type Conditions = Map<string, Condition>

/**
 * A webhook is failing if its newest attempt failed, and healthy if it succeeded or if there is none. A webhook on hold
 * stays on hold until the end of the hold, also if an attempt succeeds that began before the hold. A disabled webhook stays
 * disabled until it is enabled.
 */
export function createHealthWatch(sql: Sql): HealthWatch {
  const watched = new Map<string, Promise<Conditions>>()

  return {
    async watch(organizationId) {
      const conditions = watched.get(organizationId) ?? readConditions(sql, organizationId)
      watched.set(organizationId, conditions)
      try {
        await conditions
      } catch (error) {
        watched.delete(organizationId)
        throw error
      }
    },

    unwatch: (organizationId) => void watched.delete(organizationId),

    async changes(liveEvents) {
      const changes: LiveEvent[] = []
      for (const [organizationId, own] of Map.groupBy(
        liveEvents,
        (liveEvent) => liveEvent.organizationId,
      )) {
        const conditions = await watched.get(organizationId)?.catch(() => null)
        if (conditions) changes.push(...own.flatMap((liveEvent) => changeOf(conditions, liveEvent)))
      }
      return changes
    },
  }
}

function changeOf(conditions: Conditions, liveEvent: LiveEvent): LiveEvent[] {
  const { kind, organizationId, webhookId } = liveEvent
  if (kind === 'canceled' || kind === 'forwarded') return []
  const condition = conditions.get(webhookId) ?? {
    disabled: false,
    onHold: false,
    failing: false,
    attemptId: '',
  }
  conditions.set(webhookId, condition)
  const before = healthOf(condition)
  if (kind === 'health') {
    condition.disabled = liveEvent.health === 'disabled'
    condition.onHold = liveEvent.health === 'on_hold'
  }
  // Processes notify concurrently, so an older attempt may arrive after a newer one.
  else if (liveEvent.attemptId > condition.attemptId) {
    condition.failing = !liveEvent.succeeded
    condition.attemptId = liveEvent.attemptId
  }
  const health = healthOf(condition)
  return health === before ? [] : [{ kind: 'health', organizationId, webhookId, health }]
}

function healthOf({ disabled, onHold, failing }: Condition): LiveHealth {
  if (disabled) return 'disabled'
  if (onHold) return 'on_hold'
  return failing ? 'failing' : 'healthy'
}

async function readConditions(sql: Sql, organizationId: string): Promise<Conditions> {
  const { rows } = await sql.query<{
    id: string
    disabled: boolean
    onHold: boolean
    failing: boolean
  }>(
    `select w.id, not w.enabled as disabled, coalesce(s.on_hold_since is not null, false) as "onHold",
       c.failing_since is not null as failing
     from posthorn.webhooks as w
     left join posthorn.webhook_conditions as c on c.webhook_id = w.id
     left join posthorn.webhook_schedules as s on s.webhook_id = w.id
     where w.organization_id = $1 and w.deleted_at is null
       and (not w.enabled or c.failing_since is not null or s.on_hold_since is not null)`,
    [organizationId],
  )
  return new Map(rows.map(({ id, ...condition }) => [id, { ...condition, attemptId: '' }]))
}
