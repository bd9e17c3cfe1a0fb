import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { connectionOf, type RequestMemory } from '../../src/http/connection.ts'
import { BYTES_WITH_KEY, countMemory } from '../../src/http/request-memory.ts'

test('a request counts nothing after its response, even if its handler goes on', async () => {
  const memories: RequestMemory[] = []
  const app = new Hono()
  app.use(countMemory())
  app.get('/', (context) => {
    const { memory } = connectionOf(context)
    memory?.countFor('an organization')
    memory?.resize('response', BYTES_WITH_KEY / 5)
    memories.push(memory as RequestMemory)
    return context.text('')
  })
  for (let i = 0; i < 5; i++) {
    expect((await app.request('/')).status).toBe(200)
    for (const memory of memories) memory.resize('response', BYTES_WITH_KEY / 5)
  }
})
