import { afterAll, beforeAll, expect } from 'vitest'
import type { Database } from '../../../src/db/client.ts'
import { createBlankDatabase } from '../../support/blank-database.ts'
import { freePort } from '../../support/free-port.ts'
import { createReader } from '../../support/reader.ts'
import { followGuide } from './support/follow-guide.ts'
import type { GuideReader } from './support/posthorn.ts'

let database: Database
let posthorn: GuideReader
let metricsPort: number

/** The reader has a Postgres, whose address is in the shell, and nothing else. */
beforeAll(async () => {
  database = await createBlankDatabase()
  metricsPort = await freePort()
  const port = await freePort()
  const reader = await createReader({ PORT: String(port), DATABASE_URL: database.url })
  posthorn = {
    reader,
    url: `http://127.0.0.1:${port}`,
    databaseUrl: database.url,
    key: '',
    graphql: () => Promise.reject(new Error('This page sends GraphQL with curl.')),
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
})
afterAll(async () => {
  await posthorn?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

followGuide('go-to-production', () => posthorn, {
  servers: { 'npm start': '"msg":"ready"' },
  replace: () => ({ 9464: String(metricsPort) }),
  after: {
    rotate: (output) => {
      expect(output).toMatch(/re-encrypted/)
    },
    readyz: (output) => {
      expect(output).toMatch(/"worker": ?"ok"/)
    },
    'metrics.txt': (output) => {
      expect(output).toMatch(/^404$/m)
      expect(output).toMatch(/^posthorn_/m)
    },
    deliveries_overdue: (output) => {
      expect(output).toMatch(/^posthorn_workers 1$/m)
    },
  },
})
