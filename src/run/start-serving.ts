import type { Hono } from 'hono'
import type { Settings } from '../config/settings.ts'
import { addApiRoutes } from '../server/api-routes.ts'
import type { OidcSignIn } from '../sessions/oidc/oidc-sign-in.ts'
import type { CommonServices } from './common-services.ts'
import { addServices, type Services } from './services.ts'

export interface Serving {
  readonly services: Services
  /** Adds the routes of the API and the console. */
  addRoutes(routes: Hono): void
}

/** Opens what the API needs. */
export async function startServing(
  started: AsyncDisposableStack,
  common: CommonServices,
  settings: Settings,
): Promise<Serving> {
  const services = started.use(addServices(common, settings))
  const oidc = await openOidc(settings)
  return {
    services,
    addRoutes(routes) {
      addApiRoutes(routes, { ...services, oidc }, settings.config)
    },
  }
}

/** Sign-in by OpenID Connect. It is loaded only if it is set up, and contacts the provider on the first sign-in. */
async function openOidc({ config, secrets }: Settings): Promise<OidcSignIn | null> {
  if (config.oidc === null) return null
  const { createProvider } = await import('../sessions/oidc/provider.ts')
  return {
    settings: config.oidc,
    provider: createProvider(config.oidc, secrets.oidcClientSecret),
  }
}
