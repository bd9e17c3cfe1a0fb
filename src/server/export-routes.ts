import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { requestActor } from '../access/actor.ts'
import { hasScope } from '../access/scope.ts'
import type { Authenticate } from '../api-keys/authenticate.ts'
import type { Sql } from '../db/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { connectionOf } from '../http/connection.ts'
import { methodNotAllowed } from '../http/method-not-allowed.ts'
import { problemResponse } from '../http/problem.ts'
import { DomainError, fieldIssue, invalid } from '../lib/errors.ts'
import { exportOrganization } from '../organizations/export/export-organization.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'
import { describeRequest } from '../telemetry/request-log.ts'

export interface ExportRoutesDeps {
  readonly sql: Sql
  readonly authenticate: Authenticate
  readonly keyring: Keyring
  readonly logger: Logger
  readonly outages: OutageLog
}

export const EXPORT_PATH = '/export/organizations'

/** `GET /export/organizations/org_…`, for operators: all that is stored about an organization, as lines of JSON. */
export function createExportRoutes(deps: ExportRoutesDeps): Hono {
  const app = new Hono()
  app.onError((error, c) => problemResponse(error, c.req.raw, deps))
  app.get('/:id', async (c) => {
    const { address } = connectionOf(c)
    const caller = await deps.authenticate(c.req.header('authorization'), address)
    describeRequest({ caller })
    if (!hasScope(caller, 'admin')) {
      throw new DomainError(
        'forbidden',
        'The API key lacks the scope admin. Use a key that has it.',
      )
    }
    const actor = requestActor('rest', caller.keyId, caller.person, {
      headers: c.req.raw.headers,
      address,
    })
    const lines = await exportOrganization({ ...deps, actor }, c.req.param('id'), {
      after: c.req.query('after') ?? null,
      secrets: readFlag('secrets', c.req.query('secrets')),
    })
    return c.body(Readable.toWeb(Readable.from(encode(lines))) as ReadableStream, 200, {
      'content-type': 'application/jsonl',
      'cache-control': 'no-store',
    })
  })
  app.all('/:id', (c) => {
    throw methodNotAllowed(c.req.method, ['GET'])
  })
  return app
}

async function* encode(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  for await (const line of lines) yield encoder.encode(line)
}

function readFlag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  throw invalid([fieldIssue([name], 'invalid_argument', 'must be true or false.')])
}
