import { expect, test } from 'vitest'
import type { Role } from '../../src/config/settings.ts'
import { useTestApp } from '../support/app.ts'

async function statusesOf(role: Role): Promise<Record<string, number>> {
  const posthorn = await useTestApp({ role })
  const paths = [
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/graphql',
    '/schema.graphql',
    '/openapi.json',
    '/console',
  ]
  const statuses = paths.map(async (path) => {
    const { status } = await fetch(new URL(path, posthorn.app.url), {
      headers: { accept: 'text/html, application/json' },
      redirect: 'manual',
    })
    return [path, status] as const
  })
  return Object.fromEntries(await Promise.all(statuses))
}

const FOR_OPERATORS = { '/healthz': 200, '/readyz': 200, '/metrics': 200 }

test('a worker process serves the paths for operators only', async () => {
  const statuses = await statusesOf('worker')
  expect(statuses).toEqual({
    ...FOR_OPERATORS,
    '/': 404,
    '/graphql': 404,
    '/schema.graphql': 404,
    '/openapi.json': 404,
    '/console': 404,
  })
})

test.each<Role>(['all', 'api'])('a process with the role %s serves all paths', async (role) => {
  const { '/graphql': graphql, ...statuses } = await statusesOf(role)
  expect(statuses).toEqual({
    ...FOR_OPERATORS,
    '/': 302,
    '/schema.graphql': 200,
    '/openapi.json': 200,
    '/console': 200,
  })
  expect(graphql).not.toBe(404)
})
