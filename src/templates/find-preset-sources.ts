import type { Db } from '../db/client.ts'
import { findEventTypesByNames, readNames } from '../event-types/find-event-types.ts'
import { unknownEventType } from '../event-types/find-example.ts'
import type { PresetSource } from './presets/preset.ts'

/** What presets read of event types, in the order of the names. Throws `invalid` if one is unknown or archived. */
export async function findPresetSources(
  db: Db,
  names: readonly string[],
): Promise<Omit<PresetSource, 'hasLinks'>[]> {
  const select = { name: true, schema: true, example: true, archivedAt: true }
  const found = await findEventTypesByNames(db, names, { select })
  const unknown = names.find((name) => found.get(name)?.archivedAt !== null)
  if (unknown !== undefined) throw unknownEventType(unknown, await readNames(db))
  return names.flatMap((name) => found.get(name) ?? [])
}
