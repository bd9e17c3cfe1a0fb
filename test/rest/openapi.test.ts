import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/connect-v1/routes.ts'
import { requirePackages } from '../support/installed-packages.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document of deep objects
const document = openApiDocument('https://posthorn.example.org/') as any

const redoclyInstalled = await requirePackages('test/openapi-client')

describe('the OpenAPI document', () => {
  test(
    "passes Redocly's recommended rules without an error or a warning",
    redoclyInstalled,
    async () => {
      const directory = await mkdtemp(path.join(tmpdir(), 'posthorn-openapi-'))
      try {
        const file = path.join(directory, 'openapi.json')
        await writeFile(file, JSON.stringify(document))
        const redocly = path.resolve('test/openapi-client/node_modules/.bin/redocly')
        const environment = {
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
          CI: 'true',
        }
        const { stdout, stderr } = await promisify(execFile)(
          redocly,
          ['lint', file, '--extends', 'recommended', '--format', 'json'],
          { env: { ...process.env, ...environment } },
        )
        expect(JSON.parse(stdout).totals, stderr).toEqual({ errors: 0, warnings: 0, ignored: 0 })
      } finally {
        await rm(directory, { recursive: true })
      }
    },
  )

  test('describes every error status of each operation', () => {
    const operations = Object.entries(document.paths).flatMap(([at, methods]) =>
      Object.entries(methods as object).map(([method, { responses }]) => ({
        ...{ at, method, statuses: Object.keys(responses) },
      })),
    )
    expect(operations).toHaveLength(7)
    for (const { at, method, statuses } of operations) {
      const some = at.includes('{webhook_id}') ? ['404'] : []
      const hasBody = method === 'put' || (method === 'post' && at.endsWith('/webhooks'))
      if (hasBody) some.push('400', '413', '415', '422')
      const all = ['401', '403', '405', '429', '500', '503', ...some]
      expect(statuses, `${method} ${at}`).toEqual(expect.arrayContaining(all))
    }
  })
})
