import { useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { AuditLogActorsDocument, type AuditRowFragment } from '../generated/graphql.ts'
import { oidcHost } from '../page-settings.ts'
import { SOURCES } from './audit-actions.ts'

/** The names of those who can have made a change: people who signed in lately, and API keys by their ids. */
export type Actors = ReadonlyMap<string, string>

export function useActors(): Actors {
  const { data } = useRead(AuditLogActorsDocument, { withPeople: oidcHost !== '' })
  return useMemo(() => {
    const people = data?.signIns?.nodes.flatMap(({ person }) => person ?? []) ?? []
    const keys = data?.apiKeys?.nodes ?? []
    return new Map([
      ...people.map((person) => [person, person] as const),
      ...keys.map(({ id, name, tokenHint }) => [id, name ?? `${tokenHint}…`] as const),
    ])
  }, [data])
}

/** Who made a change: the person, the id of the API key, or the source if neither is known. */
export const actorOf = ({ person, apiKeyId, source }: AuditRowFragment) =>
  person ?? apiKeyId ?? source

/** A key of another organization shows its id. */
export const actorName = (actor: string, actors: Actors) =>
  actors.get(actor) ?? { ...SOURCES }[actor as keyof typeof SOURCES] ?? actor
