import { StateBadge } from '../components/state-badge.tsx'
import { useNow } from '../components/time.tsx'
import type { ApiKeysFieldsFragment } from '../generated/graphql.ts'

export type ApiKey = ApiKeysFieldsFragment

export const nameOf = ({ name }: { name?: string | null }) => name ?? 'Unnamed'

export function KeyStateBadge({ apiKey }: { apiKey: ApiKey }) {
  const nowMs = useNow()
  if (apiKey.revokedAt) return <StateBadge label="Revoked" color="gray" />
  if (apiKey.expiresAt && new Date(apiKey.expiresAt).getTime() <= nowMs) {
    return <StateBadge label="Expired" color="orange" />
  }
  return <StateBadge label="Valid" color="green" />
}
