import { Text } from '@mantine/core'
import type { AuditSource } from '../generated/graphql.ts'

const DOORS: Readonly<Record<AuditSource, string>> = {
  GRAPHQL: 'GraphQL',
  REST: 'REST API',
  CLI: 'Command line',
  CONSOLE: 'Console',
  SYSTEM: 'Posthorn itself',
}

export const doorOf = (source: AuditSource) => DOORS[source] ?? source

/** The names of the organization's keys, by their ids. */
export type KeyNames = ReadonlyMap<string, string>

interface ActorProps {
  readonly apiKeyId?: string | null
  readonly source: AuditSource
  readonly names: KeyNames
}

/** Who did it: the key that was used, by its name where it is known. */
export function Actor({ apiKeyId, source, names }: ActorProps) {
  if (!apiKeyId) return doorOf(source)
  const name = names.get(apiKeyId)
  if (name) return name
  return (
    <Text span inherit className="ph-mono" title="A key that is not of this organization">
      {`${apiKeyId.slice(0, 8)}…${apiKeyId.slice(-4)}`}
    </Text>
  )
}
