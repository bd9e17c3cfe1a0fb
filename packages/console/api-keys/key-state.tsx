import { StateBadge } from '../components/state-badge.tsx'
import { useNow } from '../components/time.tsx'
import type { ApiKeysFieldsFragment } from '../generated/graphql.ts'

export const nameOf = ({ name }: ApiKeysFieldsFragment) => name ?? 'Unnamed'

export function KeyState({ apiKey }: { apiKey: ApiKeysFieldsFragment }) {
  const { revokedAt, expiresAt } = apiKey
  const nowMs = useNow()
  if (revokedAt) return <StateBadge label="Revoked" color="gray" />
  if (expiresAt && Date.parse(expiresAt) <= nowMs) {
    return <StateBadge label="Expired" color="orange" />
  }
  return <StateBadge label="Valid" color="green" />
}
