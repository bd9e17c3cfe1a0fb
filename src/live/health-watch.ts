import type { Sql } from '../db/client.ts'
import type { LiveEvent, LiveHealth } from './live-event.ts'

/** Finds out from the attempts of all processes when a webhook begins to fail, and when it works again. */
export interface HealthWatch {
  /** Resolves once the changes of an organization's webhooks from then on will be told. */
  watch(organizationId: string): Promise<void>
  unwatch(organizationId: string): void
  /** The changes that follow from what happened. To be asked for one after the other. */
  changes(liveEvents: readonly LiveEvent[]): Promise<LiveEvent[]>
}

interface Condition {
  disabled: boolean
  held: boolean
  failing: boolean
  /** The newest attempt it is known from. */
  attemptId: string
}

/** Those that are enabled and work are left out. */
type Conditions = Map<string, Condition>

/**
 * A webhook is failing when its newest attempt failed, and healthy when it succeeded or there is none. It is held from
 * when the breaker says so until an attempt succeeds or somebody releases it. While it is disabled only switching it
 * changes its health.
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
      for (const [organizationId, own] of Map.groupBy(liveEvents, (one) => one.organizationId)) {
        const conditions = await watched.get(organizationId)?.catch(() => null)
        if (conditions) changes.push(...own.flatMap((one) => changeOf(conditions, one)))
      }
      return changes
    },
  }
}

function changeOf(conditions: Conditions, liveEvent: LiveEvent): LiveEvent[] {
  const { kind, organizationId, webhookId } = liveEvent
  if (kind === 'canceled') return []
  const condition = conditions.get(webhookId) ?? {
    disabled: false,
    held: false,
    failing: false,
    attemptId: '',
  }
  conditions.set(webhookId, condition)
  const before = healthOf(condition)
  if (kind === 'health') {
    condition.disabled = liveEvent.health === 'disabled'
    condition.held = liveEvent.health === 'on_hold'
  }
  // Processes notify side by side, so that an older attempt may come after a newer one.
  else if (liveEvent.attemptId > condition.attemptId) {
    condition.failing = !liveEvent.succeeded
    if (liveEvent.succeeded) condition.held = false
    condition.attemptId = liveEvent.attemptId
  }
  const health = healthOf(condition)
  return health === before ? [] : [{ kind: 'health', organizationId, webhookId, health }]
}

function healthOf({ disabled, held, failing }: Condition): LiveHealth {
  if (disabled) return 'disabled'
  if (held) return 'on_hold'
  return failing ? 'failing' : 'healthy'
}

async function readConditions(sql: Sql, organizationId: string): Promise<Conditions> {
  const { rows } = await sql.query<{
    id: string
    disabled: boolean
    held: boolean
    failing: boolean
  }>(
    `select w.id, not w.enabled as disabled, coalesce(f.on_hold_since is not null, false) as held,
       c.failing_since is not null as failing
     from posthorn.webhooks as w
     left join posthorn.webhook_conditions as c on c.webhook_id = w.id
     left join posthorn.webhook_schedules as f on f.webhook_id = w.id
     where w.organization_id = $1 and w.deleted_at is null
       and (not w.enabled or c.failing_since is not null or f.on_hold_since is not null)`,
    [organizationId],
  )
  return new Map(rows.map(({ id, ...condition }) => [id, { ...condition, attemptId: '' }]))
}
