import { call } from './call.ts'
import type { ConsoleServer } from './console-server.ts'

/** `input`: as `createPortalSession` takes it. */
export async function portalSession(
  server: Pick<ConsoleServer, 'graphql'>,
  input: object,
): Promise<{ readonly id: string; readonly url: string }> {
  const fields = 'portalSession { id url }'
  return (await call(server, 'createPortalSession', { input }, fields)).portalSession
}

/** The URL of a new session of the portal. */
export const portalUrl = async (server: Pick<ConsoleServer, 'graphql'>, input: object) =>
  (await portalSession(server, input)).url
