import type { Database } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { findValue } from './hashed-key.ts'
import type { RecordedErasure } from './recorded-erasures.ts'
import { runErasure } from './run-erasure.ts'
import { countEvents } from './select-events.ts'
import { type StartDeps, startErasure } from './start-erasure.ts'

export interface RepeatDeps extends StartDeps {
  readonly pool: Database['pool']
}

export interface Repeated {
  readonly erasure: RecordedErasure
  /** Null: nothing was left to erase, or the organization does not exist. */
  readonly erasureId: string | null
  /** The events that had their contents again. */
  readonly count: number
  /** Whether it has ended. If not, it waits for deliveries, and a worker goes on. */
  readonly hasEnded: boolean
}

/**
 * Erases again what a restored backup has brought back. An erasure of which nothing came back is left out, unless this
 * database has no record of an erasure by search key: the audit log can have its value.
 */
export async function* repeatErasures(
  deps: RepeatDeps,
  erasures: readonly RecordedErasure[],
): AsyncGenerator<Repeated> {
  for (const erasure of erasures) yield await repeatErasure(deps, erasure)
}

async function repeatErasure(deps: RepeatDeps, erasure: RecordedErasure): Promise<Repeated> {
  const { pool, webhooks } = deps
  const { uuid, organizationUuid, selection, unsent } = erasure
  const nothing = { erasure, erasureId: null, count: 0, hasEnded: true }
  const { rows } = await pool.query<{ isRecorded: boolean }>(
    `select exists (select from posthorn.erasures where id = $2 or repeats = $2) as "isRecorded"
     from posthorn.organizations where id = $1`,
    [organizationUuid, uuid],
  )
  const [organization] = rows
  if (!organization) return nothing
  const value = 'key' in selection ? await findValue(pool, organizationUuid, selection.key) : null
  const selected = { organizationUuid, selection, value }
  const counted = await countEvents(pool, selected)
  if (counted.count === 0 && (organization.isRecorded || !('key' in selection))) return nothing
  const erasureId = await startErasure(deps, selected, unsent, counted, uuid)
  const started = parseId('erasure', erasureId) as string
  const hasEnded = await runErasure({ pool, keyring: webhooks.keyring }, started)
  return { erasure, erasureId, count: counted.count, hasEnded }
}
