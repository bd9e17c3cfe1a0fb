/** A server that passes each request as a `Request` to the handler of the README. */
import { serve } from '@hono/node-server'
import { POST } from './fetch.ts'

serve({
  port: 3000,
  async fetch(request) {
    try {
      return await POST(request)
    } catch (error) {
      console.error(error)
      return new Response(null, { status: 500 })
    }
  },
})
