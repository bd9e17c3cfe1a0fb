import { hashToken, mintToken, tokenHint } from '../../../src/api-keys/token.ts'
import { parseId } from '../../../src/db/ids.ts'
import type { ConsoleServer } from './console-server.ts'

/**
 * Adds the API key of a role of POSTHORN_OIDC_ROLES. Its id is part of the configuration, which is older than the
 * database.
 */
export async function addRoleKey(server: ConsoleServer, roleKeyId: string): Promise<void> {
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
    },
  })
}
