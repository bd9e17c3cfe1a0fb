import { expect, test } from 'vitest'
import { useTestApp } from '../support/app.ts'
import { buildConsole } from '../support/built-console.ts'

await buildConsole()

const FOR_OPERATORS = ['/healthz', '/readyz', '/metrics']
/** Without a key. */
const OF_THE_API = [
  ['/schema.graphql', 200],
  ['/openapi.json', 200],
  ['/graphql?query={__typename}', 401],
  ['/console', 200],
] as const

test.each(['worker', 'all', 'api'] as const)(
  'a process with the role %s serves the paths for operators, and those of the API only without the role worker',
  async (role) => {
    const posthorn = await useTestApp({ role })
    const statusOf = async (path: string) =>
      (await fetch(posthorn.app.url + path, { redirect: 'manual' })).status
    for (const path of FOR_OPERATORS) expect(await statusOf(path), path).toBe(200)
    for (const [path, status] of OF_THE_API) {
      expect(await statusOf(path), path).toBe(role === 'worker' ? 404 : status)
    }
  },
)
