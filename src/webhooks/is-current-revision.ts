import type { Sql } from '../db/client.ts'

/** Whether a webhook is still at a revision; at most 20 ms ago it was. */
export type IsCurrentRevision = (webhookId: string, revision: string) => boolean | Promise<boolean>

/** How long an answer holds. */
const FRESH_MS = 20

/** A webhook that nobody asked for during that time is forgotten. */
const FORGOTTEN_AFTER_MS = 1_000

interface Known {
  revision: string
  readAtMs: number
  askedAtMs: number
}

/** One statement reads the revisions of all webhooks that are busy, so under load it is a small part of each attempt. */
export function createIsCurrentRevision(sql: Sql): IsCurrentRevision {
  const busy = new Map<string, Known>()
  let reading: Promise<void> | null = null

  async function readAll(): Promise<void> {
    const nowMs = performance.now()
    for (const [id, { askedAtMs }] of busy) {
      if (nowMs - askedAtMs > FORGOTTEN_AFTER_MS) busy.delete(id)
    }
    const asked = [...busy]
    const { rows } = await sql.query<{ id: string; revision: string }>({
      name: 'read_revisions',
      text: 'select id, revision from posthorn.webhooks where id = any ($1::uuid[])',
      values: [asked.map(([id]) => id)],
    })
    const revisions = new Map(rows.map(({ id, revision }) => [id, revision]))
    for (const [id, known] of asked) {
      known.revision = revisions.get(id) ?? ''
      known.readAtMs = nowMs
    }
  }

  async function ask(webhookId: string, revision: string, askedAtMs: number): Promise<boolean> {
    const known = busy.get(webhookId) ?? { revision: '', readAtMs: -FRESH_MS, askedAtMs }
    known.askedAtMs = askedAtMs
    busy.set(webhookId, known)
    // A reading that is under way may have begun too early, or without this webhook: then one more is.
    while (!isFresh(known, askedAtMs)) {
      reading ??= readAll().finally(() => {
        reading = null
      })
      await reading
      if (!busy.has(webhookId)) busy.set(webhookId, known)
    }
    return known.revision === revision
  }

  return (webhookId, revision) => {
    const askedAtMs = performance.now()
    const known = busy.get(webhookId)
    if (!known || !isFresh(known, askedAtMs)) return ask(webhookId, revision, askedAtMs)
    known.askedAtMs = askedAtMs
    return known.revision === revision
  }
}

function isFresh({ readAtMs }: Known, askedAtMs: number): boolean {
  return readAtMs >= askedAtMs - FRESH_MS
}
