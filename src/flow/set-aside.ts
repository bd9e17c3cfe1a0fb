import { batched } from '../lib/batch.ts'
import type { Sql } from '../db/client.ts'

/**
 * Moves deliveries into the lines of their webhooks: they use up no attempt, and their jobs stay visible with a time that
 * never comes. They are released again by `release_waiting`, as there is room.
 */
export interface SetAside {
  /** One whose job is running here. */
  one(deliveryId: string): Promise<void>
  /** All of a webhook that are due, wherever they are, so that hardly any is fetched in vain. */
  allDue(webhookId: string): Promise<void>
}

/** How many one statement moves. */
const AT_ONCE = 20_000

/** After moving a webhook's it rests so many times as long as that took: finding none among a million takes a while. */
const REST_FACTOR = 9

export function createSetAside(sql: Sql): SetAside {
  const underWay = new Map<string, Promise<void>>()

  async function moveAllDue(webhookId: string): Promise<void> {
    for (;;) {
      const { rows } = await sql.query<{ moved: number }>({
        name: 'set_due_aside',
        text: 'select posthorn.set_due_aside($1, $2) as moved',
        values: [webhookId, AT_ONCE],
      })
      if ((rows[0]?.moved ?? 0) < AT_ONCE) return
    }
  }

  async function moveAndRest(webhookId: string): Promise<void> {
    const startedAt = performance.now()
    try {
      await moveAllDue(webhookId)
    } finally {
      const restMs = REST_FACTOR * (performance.now() - startedAt)
      setTimeout(() => underWay.delete(webhookId), restMs).unref()
    }
  }

  return {
    one: batched<string, void>((ids) => setTakenAside(sql, ids), { gatherMs: 3, maxSize: 500 }),
    allDue(webhookId) {
      const moving = underWay.get(webhookId) ?? moveAndRest(webhookId)
      underWay.set(webhookId, moving)
      return moving
    },
  }
}

/** The line is opened first, which waits for a process that is ending it: so it never ends with somebody in it. */
async function setTakenAside(sql: Sql, ids: string[]): Promise<undefined[]> {
  await sql.query({
    name: 'set_taken_aside',
    text: `
      with lined as (
        insert into posthorn.webhook_flows as f (webhook_id, line_since)
        select distinct d.webhook_id, now() from posthorn.deliveries as d where d.id = any ($1::uuid[]) order by 1
        on conflict (webhook_id) do update set line_since = coalesce(f.line_since, now()), line_ended_at = null
        returning f.webhook_id
      ),
      aside as (
        update posthorn.deliveries as d
        set waiting_since = coalesce(d.waiting_since, now()), next_attempt_at = null, slot_at = null
        from lined where d.id = any ($1::uuid[]) and d.webhook_id = lined.webhook_id and d.state = 'pending'
        returning d.id
      )
      select posthorn.add_deliver_jobs(array_agg(id), array_agg(posthorn.never())) from aside having count(*) > 0`,
    values: [ids],
  })
  return new Array<undefined>(ids.length)
}
