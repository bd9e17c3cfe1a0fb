import type {
  CreatePortalSessionInput,
  PortalColorScheme,
  PortalDensity,
  PortalPage,
  PortalTheme,
} from '../generated/graphql.ts'

/** What the reader chooses for a portal session. An empty text is the default. */
export interface PortalOptions {
  readonly primaryColor: string
  readonly fontFamily: string
  readonly fontUrl: string
  readonly radius: number | string
  readonly density: PortalDensity
  readonly colorScheme: PortalColorScheme
  readonly logoUrl: string
  readonly showHeader: boolean
  readonly backgroundColor: string
  readonly foregroundColor: string
  readonly padding: number | string
  readonly pages: readonly PortalPage[]
  /** Null: all webhooks of the organization. */
  readonly webhookId: string | null
  readonly mayChange: boolean
  readonly withSecrets: boolean
  readonly ttlSeconds: number
}

/** The defaults of the server, and reading only. */
export const DEFAULTS: PortalOptions = {
  primaryColor: '',
  fontFamily: '',
  fontUrl: '',
  radius: '',
  density: 'COMFORTABLE',
  colorScheme: 'AUTO',
  logoUrl: '',
  showHeader: false,
  backgroundColor: '',
  foregroundColor: '',
  padding: '',
  pages: ['WEBHOOKS', 'DELIVERIES', 'EVENT_TYPES'],
  webhookId: null,
  mayChange: false,
  withSecrets: false,
  ttlSeconds: 3_600,
}

export type Access = Pick<PortalOptions, 'mayChange' | 'withSecrets'>

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
  const { webhookId, ttlSeconds, pages } = options
  const theme = themeOf(options)
  return {
    scopes: scopesOf(options, can),
    ...(webhookId !== null && { webhookId }),
    ttlSeconds,
    ...(String(pages) !== String(DEFAULTS.pages) && { pages: [...pages] }),
    ...(Object.keys(theme).length > 0 && { theme }),
  }
}

function themeOf(options: PortalOptions): PortalTheme {
  const { radius, padding, density, colorScheme, showHeader } = options
  const texts = [
    ...(['primaryColor', 'backgroundColor', 'foregroundColor'] as const),
    ...(['fontFamily', 'fontUrl', 'logoUrl'] as const),
  ]
  const given = texts.map((name) => [name, options[name].trim()] as const)
  return {
    ...Object.fromEntries(given.filter(([, text]) => text !== '')),
    ...(typeof radius === 'number' && { radius }),
    ...(typeof padding === 'number' && { padding }),
    ...(density !== DEFAULTS.density && { density }),
    ...(colorScheme !== DEFAULTS.colorScheme && { colorScheme }),
    ...(showHeader && { showHeader }),
  }
}
