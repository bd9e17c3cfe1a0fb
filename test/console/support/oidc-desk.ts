import { DEFAULT_LIMITS } from '../../../src/auth/api-keys/api-key-settings.ts'
import { hashToken, mintToken, tokenHint } from '../../../src/auth/api-keys/authenticate.ts'
import { mintId, parseId } from '../../../src/db/ids.ts'
import { CLIENT, type OidcProvider, startOidcProvider } from '../../oidc-provider/oidc-provider.ts'
import { freePort } from '../../support/free-port.ts'
import { startConsoleServer } from './console-server.ts'
import { openDesk, server } from './desk.ts'

/* What the stories of the file that runs share. `openOidcDesk` sets it. */
export let provider: OidcProvider

/** The API key whose rights people get. */
const roleKeyId = mintId('apiKey')

/** A server with an OpenID provider, at the public URL of its port. */
export function openOidcDesk(publicUrl: (port: number) => string | Promise<string>): void {
  openDesk(
    async () => {
      const port = await freePort()
      const url = await publicUrl(port)
      provider = await startOidcProvider(url)
      return await startConsoleServer({
        alsoEnds: provider,
        environment: {
          PORT: String(port),
          POSTHORN_PUBLIC_URL: url,
          POSTHORN_OIDC_ISSUER: provider.issuer,
          POSTHORN_OIDC_CLIENT_ID: CLIENT.id,
          POSTHORN_OIDC_CLIENT_SECRET: CLIENT.secret,
          POSTHORN_OIDC_ROLES: `groups=webhooks:${roleKeyId}`,
        },
      })
    },
    { scopes: null },
  )
}

/** Adds the API key of the role. Its id is part of the configuration, which is older than the database. */
export async function addRoleKey(): Promise<void> {
  await using database = await server.openDatabase()
  const { id: organizationId } = await database.prisma.organization.findFirstOrThrow()
  const token = mintToken('key')
  await database.prisma.apiKey.create({
    data: {
      id: parseId('apiKey', roleKeyId) as string,
      organizationId,
      name: 'Support',
      scopes: ['webhooks:read', 'keys:manage'],
      tokenHash: hashToken(token),
      tokenHint: tokenHint(token),
      ...DEFAULT_LIMITS,
    },
  })
}
