import { Text } from '@mantine/core'
import type { AuditSource } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'

const SOURCE_LABELS: Readonly<Record<AuditSource, string>> = {
  GRAPHQL: 'GraphQL',
  REST: 'REST API',
  CLI: 'Command line',
  CONSOLE: 'Console',
  SYSTEM: 'Posthorn',
}

export const sourceLabel = (source: AuditSource) => SOURCE_LABELS[source] ?? source

/** The names of the organization's API keys, by id. */
export type KeyNames = ReadonlyMap<string, string>

interface ActorProps {
  readonly apiKeyId?: string | null
  readonly person?: string | null
  readonly source: AuditSource
  readonly names: KeyNames
}

/** Who made a change: the person, the name of the API key, or its id if the key is not of this organization. */
export function Actor({ apiKeyId, person, source, names }: ActorProps) {
  if (person) return person
  if (!apiKeyId) return sourceLabel(source)
  const name = names.get(apiKeyId)
  if (name) return name
  return (
    <Text span inherit className="ph-mono" title={t('audit:actor.foreignKey')}>
      {`${apiKeyId.slice(0, 8)}…${apiKeyId.slice(-4)}`}
    </Text>
  )
}
