import { StateBadge } from '../components/state-badge.tsx'
import { useNow } from '../components/time.tsx'
import type { ApiKeysFieldsFragment } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'

export type ApiKey = ApiKeysFieldsFragment

export const nameOf = ({ name }: { name?: string | null }) => name ?? t('apiKeys:unnamed')

export function KeyStateBadge({ apiKey }: { apiKey: ApiKey }) {
  const nowMs = useNow()
  if (apiKey.revokedAt) return <StateBadge label={t('apiKeys:keyState.revoked')} color="gray" />
  if (apiKey.expiresAt && new Date(apiKey.expiresAt).getTime() <= nowMs) {
    return <StateBadge label={t('apiKeys:keyState.expired')} color="orange" />
  }
  return <StateBadge label={t('apiKeys:keyState.valid')} color="green" />
}
