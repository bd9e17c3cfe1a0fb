import { call } from './call.ts'
import type { ConsoleServer } from './console-server.ts'

interface PortalInput {
  readonly scopes: readonly string[]
  readonly webhookId?: string
  readonly locale?: string
  readonly theme?: object
  readonly ttlSeconds?: number
  readonly pages?: readonly string[] | undefined
}

export async function portalSession(
  server: Pick<ConsoleServer, 'graphql'>,
  input: PortalInput,
): Promise<{ readonly id: string; readonly url: string }> {
  const fields = 'portalSession { id url }'
  return (await call(server, 'createPortalSession', { input }, fields)).portalSession
}

/** The URL of a new session of the portal. */
export const portalUrl = async (server: Pick<ConsoleServer, 'graphql'>, input: PortalInput) =>
  (await portalSession(server, input)).url
