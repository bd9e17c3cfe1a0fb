import { expect, test } from 'vitest'
import { checkArchitecture } from './architecture.ts'

test('imports point one way, and the checker sees every file', async () => {
  expect(await checkArchitecture()).toEqual({ violations: [], unseen: [] })
})
