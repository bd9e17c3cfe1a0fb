import * as client from 'openid-client'
import { isLoopbackHttp, type OidcSettings } from '../../../config/oidc-settings.ts'
import type { Provider } from './oidc-sign-in.ts'

const REQUEST_TIMEOUT_S = 10
/** The tolerated difference between the clocks of the provider and of this machine. */
const CLOCK_TOLERANCE_S = 60

/** Contacts the provider on first use, and again after a failure. */
export function createProvider(settings: OidcSettings, secret: string | null): Provider {
  const { clientId } = settings
  let discovered: Promise<client.Configuration> | null = null
  const discover = () => {
    discovered ??= discoverProvider(settings, secret).catch((error: unknown) => {
      discovered = null
      throw error
    })
    return discovered
  }
  return {
    async authorizationUrl({ state, nonce, codeVerifier }, redirectUri) {
      return client.buildAuthorizationUrl(await discover(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      })
    },
    async finish(callback, { state, nonce, codeVerifier }) {
      const provider = await discover()
      const tokens = await client.authorizationCodeGrant(provider, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims) throw new Error('The provider sent no ID token.')
      const hasUserInfo = provider.serverMetadata().userinfo_endpoint !== undefined
      const userInfo = hasUserInfo
        ? await client.fetchUserInfo(provider, tokens.access_token, claims.sub)
        : {}
      return { ...userInfo, ...claims }
    },
    async signOutUrl(returnTo) {
      const provider = await discover()
      if (provider.serverMetadata().end_session_endpoint === undefined) return null
      return client.buildEndSessionUrl(provider, {
        client_id: clientId,
        post_logout_redirect_uri: returnTo,
      })
    },
  }
}

async function discoverProvider(
  { issuer, clientId }: OidcSettings,
  secret: string | null,
): Promise<client.Configuration> {
  const server = new URL(issuer)
  const metadata = { [client.clockTolerance]: CLOCK_TOLERANCE_S }
  return await client.discovery(server, clientId, metadata, authentication(secret), {
    timeout: REQUEST_TIMEOUT_S,
    // Checks the signature of the ID token with the keys of the provider.
    execute: [
      client.enableNonRepudiationChecks,
      ...(isLoopbackHttp(server) ? [client.allowInsecureRequests] : []),
    ],
  })
}

/** Sends the secret in the header, which is the default of the specification, unless the provider wants it in the body. */
function authentication(secret: string | null): client.ClientAuth {
  if (secret === null) return client.None()
  const inHeader = client.ClientSecretBasic(secret)
  const inBody = client.ClientSecretPost(secret)
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authenticate = methods.includes('client_secret_basic') ? inHeader : inBody
    authenticate(server, ...request)
  }
}
