/** What each scope allows. */
export const SCOPES = [
  ['webhooks:read', 'Read webhooks and their health.'],
  ['webhooks:write', 'Create, edit and delete webhooks.'],
  ['alerts:write', 'Let sessions of the portal add addresses for alerts.'],
  ['secrets:read', 'Read signing secrets, and the values of custom headers.'],
  ['secrets:rotate', 'Rotate the signing secret of a webhook.'],
  ['events:publish', 'Publish events.'],
  ['events:read', 'Read events and their payloads.'],
  ['deliveries:read', 'Read deliveries, attempts and statistics.'],
  ['deliveries:write', 'Redeliver, cancel and recover deliveries, and send test events.'],
  ['data:erase', 'Erase the contents of events and deliveries for good.'],
  ['keys:manage', 'Create and revoke API keys, and read the audit log.'],
  ['admin', 'For operators: everything in every organization, including event types and jobs.'],
] as const

type Scope = (typeof SCOPES)[number][0]

/** Common combinations of scopes. */
export const PRESETS: readonly { readonly label: string; readonly scopes: readonly Scope[] }[] = [
  { label: 'Read only', scopes: ['webhooks:read', 'events:read', 'deliveries:read'] },
  { label: 'Publisher', scopes: ['events:publish'] },
  {
    label: 'Everything but admin',
    scopes: SCOPES.map(([scope]) => scope).filter((scope) => scope !== 'admin'),
  },
]
