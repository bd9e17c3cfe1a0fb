import type { OidcSettings } from '../../config/oidc-settings.ts'

/** https://www.rfc-editor.org/rfc/rfc9728#section-3.1: the path of the resource follows the well-known one. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp'

/** The audience that the access tokens of agents need. */
export function resourceOf(publicUrl: string): string {
  return `${publicUrl}/mcp`
}

/** Tells agents where to get an access token for `/mcp`. Null without the public URL, which OpenID Connect needs. */
export function resourceMetadata({ issuer, scopes }: OidcSettings, publicUrl: string | null) {
  if (publicUrl === null) return null
  return {
    resource: resourceOf(publicUrl),
    resource_name: 'Posthorn',
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
  }
}

/** Adds to a 401 where the metadata are, if `publicUrl` is given. */
export function createBearerChallenge(publicUrl: string | null) {
  return (response: Response, request: Request): Response => {
    if (response.status !== 401 || publicUrl === null) return response
    const error = request.headers.has('authorization') ? ', error="invalid_token"' : ''
    const realm = response.headers.get('www-authenticate') ?? 'Bearer'
    response.headers.set(
      'www-authenticate',
      `${realm}${error}, resource_metadata="${publicUrl}${METADATA_PATH}"`,
    )
    return response
  }
}
