import type { Sql } from '../db/client.ts'

/** Whether a webhook was still at a revision at most 20 ms ago. */
export type IsCurrentRevision = (webhookId: string, revision: string) => boolean | Promise<boolean>

/** The longest use of a read revision. */
const FRESH_MS = 20

/** A webhook without checks for this time is evicted. */
const EVICT_AFTER_MS = 1_000

interface Entry {
  revision: string
  readAtMs: number
  checkedAtMs: number
}

/** One statement reads the revisions of all busy webhooks, so under load the cost per attempt is small. */
export function createIsCurrentRevision(sql: Sql): IsCurrentRevision {
  const busy = new Map<string, Entry>()
  let reading: Promise<void> | null = null

  async function readAll(): Promise<void> {
    const nowMs = performance.now()
    for (const [id, { checkedAtMs }] of busy) {
      if (nowMs - checkedAtMs > EVICT_AFTER_MS) busy.delete(id)
    }
    const entries = [...busy]
    const { rows } = await sql.query<{ id: string; revision: string }>({
      name: 'read_revisions',
      text: 'select id, revision from posthorn.webhooks where id = any ($1::uuid[])',
      values: [entries.map(([id]) => id)],
    })
    const revisions = new Map(rows.map(({ id, revision }) => [id, revision]))
    for (const [id, entry] of entries) {
      entry.revision = revisions.get(id) ?? ''
      entry.readAtMs = nowMs
    }
  }

  async function check(webhookId: string, revision: string, nowMs: number): Promise<boolean> {
    const entry = busy.get(webhookId) ?? { revision: '', readAtMs: -FRESH_MS, checkedAtMs: nowMs }
    // A read in progress can have started too early or without this webhook. Then another read follows.
    while (!isFresh(entry, nowMs)) {
      // A read that took long must not have the webhook evicted from the next one.
      entry.checkedAtMs = performance.now()
      busy.set(webhookId, entry)
      reading ??= readAll().finally(() => {
        reading = null
      })
      await reading
    }
    return entry.revision === revision
  }

  return (webhookId, revision) => {
    const nowMs = performance.now()
    const entry = busy.get(webhookId)
    if (!entry || !isFresh(entry, nowMs)) return check(webhookId, revision, nowMs)
    entry.checkedAtMs = nowMs
    return entry.revision === revision
  }
}

function isFresh({ readAtMs }: Entry, nowMs: number): boolean {
  return readAtMs >= nowMs - FRESH_MS
}
