import { t } from '../strings/t.ts'

/** What each scope allows. */
export const SCOPES = [
  ['webhooks:read', t('apiKeys:scopes.webhooksRead')],
  ['webhooks:write', t('apiKeys:scopes.webhooksWrite')],
  ['secrets:read', t('apiKeys:scopes.secretsRead')],
  ['secrets:rotate', t('apiKeys:scopes.secretsRotate')],
  ['events:publish', t('apiKeys:scopes.eventsPublish')],
  ['events:read', t('apiKeys:scopes.eventsRead')],
  ['deliveries:read', t('apiKeys:scopes.deliveriesRead')],
  ['deliveries:write', t('apiKeys:scopes.deliveriesWrite')],
  ['keys:manage', t('apiKeys:scopes.keysManage')],
  ['admin', t('apiKeys:scopes.admin')],
] as const

export type Scope = (typeof SCOPES)[number][0]

/** Common combinations of scopes. */
export const PRESETS: readonly { readonly label: string; readonly scopes: readonly Scope[] }[] = [
  {
    label: t('apiKeys:scopes.readOnly'),
    scopes: ['webhooks:read', 'events:read', 'deliveries:read'],
  },
  { label: t('apiKeys:scopes.publisher'), scopes: ['events:publish'] },
  {
    label: t('apiKeys:scopes.everythingButAdmin'),
    scopes: SCOPES.map(([scope]) => scope).filter((scope) => scope !== 'admin'),
  },
]

/** What a scope allows; null for a scope that only a newer server knows. */
export function scopeDescription(name: string): string | null {
  return SCOPES.find(([scope]) => scope === name)?.[1] ?? null
}
