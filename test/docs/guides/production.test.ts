import { expect } from 'vitest'
import { createBlankDatabase } from '../../support/blank-database.ts'
import { freePort } from '../../support/free-port.ts'
import { useResource } from '../../support/use-resource.ts'
import { createReader } from '../support/reader.ts'
import { followPages } from './support/follow-guide.ts'

/* The reader has a Postgres, whose address is in the shell, and nothing else. */
const database = await useResource(createBlankDatabase())
const metricsPort = await freePort()
const port = String(await freePort())
const reader = await useResource(createReader({ PORT: port, DATABASE_URL: database.url }))
const posthorn = {
  ...{ reader, url: `http://127.0.0.1:${port}`, databaseUrl: database.url },
  graphql: () => Promise.reject(new Error('This page sends GraphQL with curl.')),
}

followPages(['docs/operate/deploying.md'], posthorn, {
  until: '## Before production',
  servers: { 'npm start': '"msg":"ready"' },
  replace: () => ({ 9464: String(metricsPort) }),
  after: {
    rotate: (output) => {
      expect(output).toMatch(/re-encrypted/)
      expect(output).toMatch(/^404$/m)
      expect(output).toMatch(/^posthorn_workers 1$/m)
      expect(output).toMatch(/^posthorn_deliveries_overdue 0$/m)
    },
  },
})
