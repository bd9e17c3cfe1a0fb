import { isLoopbackHttp } from '../../config/oidc-settings.ts'
import { DomainError } from '../../lib/errors.ts'

interface KnownOrigins {
  readonly publicUrl: string | null
  readonly corsOrigins: readonly string[]
}

/**
 * Throws `forbidden` for a request of a page that is not known. A page whose name leads to this machine (DNS rebinding) has
 * the same host as the request, so only loopback names count without a setting.
 */
export function requireKnownOrigin(
  { headers, url }: Request,
  { publicUrl, corsOrigins }: KnownOrigins,
): void {
  const origin = headers.get('origin')
  if (origin === null || origin === publicUrl || corsOrigins.includes(origin)) return
  const page = URL.parse(origin)
  if (page && isLoopbackHttp(page) && page.host === new URL(url).host) return
  throw new DomainError(
    'forbidden',
    'The request comes from a page whose origin is not known. Add the origin to POSTHORN_CORS_ORIGINS, or call /mcp from a program, which sends no Origin.',
  )
}
