import { takeTurns } from '../lib/take-turns.ts'
import { describeEventType } from './describe-event-type.ts'
import type { EventModel, SourceType } from './model.ts'
import { typeNames } from './names.ts'

/** The same list has the same names: many selections are compiled for one catalogue. */
const namesOfLists = new WeakMap<readonly SourceType[], ReadonlyMap<string, string>>()

/** The names of the object types of a catalogue, by the names of the event types. */
export function namesOfTypes(types: readonly SourceType[]): ReadonlyMap<string, string> {
  const known = namesOfLists.get(types)
  if (known) return known
  const made = typeNames(types.map(({ name }) => name))
  namesOfLists.set(types, made)
  return made
}

/** The models of some event types of a catalogue: those whose type name is wanted. */
export function describeEventTypes(
  types: readonly SourceType[],
  isWanted: (typeName: string) => boolean,
): EventModel[] {
  const names = namesOfTypes(types)
  return types.flatMap((type) => {
    const typeName = names.get(type.name) ?? ''
    return isWanted(typeName) ? [describeEventType(type, typeName)] : []
  })
}

/** The models of a catalogue. Others run in between. */
export async function describeCatalogue(types: readonly SourceType[]): Promise<EventModel[]> {
  const names = namesOfTypes(types)
  return await takeTurns(types, (type) => describeEventType(type, names.get(type.name) ?? ''))
}
