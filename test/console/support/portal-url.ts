import { call } from './call.ts'
import type { ConsoleServer } from './console-server.ts'

interface PortalInput {
  readonly scopes: readonly string[]
  readonly webhookId?: string
  readonly locale?: string
  readonly theme?: { readonly primaryColor: string; readonly colorScheme: string }
}

/** The URL of a new session of the portal. */
export async function portalUrl(
  server: Pick<ConsoleServer, 'graphql'>,
  input: PortalInput,
): Promise<string> {
  const { portalSession } = await call<{ portalSession: { url: string } }>(
    server,
    'createPortalSession',
    { input: ['CreatePortalSessionInput!', input] },
    'portalSession { url }',
  )
  return portalSession.url
}
