import { Text } from '@mantine/core'
import type { AuditSource } from '../generated/graphql.ts'
import { sourceLabel } from './audit-options.ts'

/** Who can have made a change. */
export interface Actors {
  /** The names of the organization's API keys, by id. */
  readonly keys: ReadonlyMap<string, string>
  /** The people who signed in lately, such as `Name <name@example.com>`. */
  readonly people: readonly string[]
}

/** A person in a filter: the email address, if there is one. */
export const personKey = (person: string) => /<([^<>]+)>$/.exec(person)?.[1] ?? person

interface ActorProps {
  readonly apiKeyId?: string | null
  readonly person?: string | null
  readonly source: AuditSource
  readonly actors: Actors
}

/** Who made a change: the person, the name of the API key, or its id if the key is not of this organization. */
export function Actor({ apiKeyId, person, source, actors }: ActorProps) {
  if (person) return person
  if (!apiKeyId) return sourceLabel(source)
  const name = actors.keys.get(apiKeyId)
  if (name) return name
  return (
    <Text span inherit className="ph-mono" title="An API key of another organization">
      {`${apiKeyId.slice(0, 8)}…${apiKeyId.slice(-4)}`}
    </Text>
  )
}
