import { auditServer } from 'graphql-http'
import { expect, test } from 'vitest'
import { useTestApp } from '../support/app.ts'

const { app, tenant } = await useTestApp({ role: 'api' })

/** The official audit of GraphQL over HTTP: https://github.com/graphql/graphql-http#audits */
test('the server passes all 61 audits of the GraphQL over HTTP specification', async () => {
  const authorization = `Bearer ${tenant.token}`
  const fetchFn = (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...(init.headers as object), authorization } })
  const results = await auditServer({ url: `${app.url}/graphql`, fetchFn })
  const failed = results.filter(({ status }) => status !== 'ok')
  expect([results.length, failed]).toEqual([61, []])
})
