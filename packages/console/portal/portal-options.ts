import type {
  CreatePortalSessionInput,
  PortalColorScheme,
  PortalDensity,
  PortalPage,
  PortalTheme,
} from '../generated/graphql.ts'

/** The defaults of the server, and reading only. An empty text is the default. */
export const DEFAULTS = {
  theme: {
    primaryColor: '',
    colorScheme: 'AUTO' as PortalColorScheme,
    backgroundColor: '',
    foregroundColor: '',
    padding: '' as number | string,
    radius: '' as number | string,
    density: 'COMFORTABLE' as PortalDensity,
    fontFamily: '',
    fontUrl: '',
    logoUrl: '',
    showHeader: false,
  },
  pages: ['WEBHOOKS', 'DELIVERIES', 'EVENT_TYPES'] as PortalPage[],
  /** Null: all webhooks of the organization. */
  webhookId: null as string | null,
  mayChange: false,
  withSecrets: false,
  ttlSeconds: '3600',
}

/** What the reader chooses for a portal session. */
export type PortalOptions = typeof DEFAULTS

type Access = Pick<PortalOptions, 'mayChange' | 'withSecrets'>

/** The scopes of the session, of which a key can give only its own. */
export function scopesOf({ mayChange, withSecrets }: Access, can: (scope: string) => boolean) {
  return [
    'webhooks:read',
    'deliveries:read',
    'events:read',
    ...(mayChange ? ['webhooks:write', 'deliveries:write'] : []),
    ...(withSecrets ? ['secrets:read'] : []),
    ...(withSecrets && mayChange ? ['secrets:rotate'] : []),
  ].filter(can)
}

/** The input of `createPortalSession`, without what is the default. */
export function inputOf(
  options: PortalOptions,
  can: (scope: string) => boolean,
): CreatePortalSessionInput {
  const { webhookId, ttlSeconds, pages, theme } = options
  const chosen = Object.entries(theme).filter(
    ([name, value]) => value !== DEFAULTS.theme[name as keyof PortalTheme],
  )
  return {
    scopes: scopesOf(options, can),
    ...(webhookId !== null && { webhookId }),
    ttlSeconds: Number(ttlSeconds),
    ...(String(pages) !== String(DEFAULTS.pages) && { pages }),
    ...(chosen.length > 0 && { theme: Object.fromEntries(chosen) }),
  }
}
