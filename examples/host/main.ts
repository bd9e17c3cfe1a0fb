import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createHost } from './host.ts'

/** The key of a server that runs in this clone by `npm start`. */
const keyFile = new URL('../../.posthorn/api-key', import.meta.url)

const host = createHost({
  url: process.env['POSTHORN_URL'] ?? 'http://127.0.0.1:4000',
  apiKey: process.env['POSTHORN_API_KEY'] ?? readFileSync(keyFile, 'utf8').trim(),
  // Your sign-in: read the cookie of your own session here.
  signedIn: () => ({ name: 'user 4711' }),
})

const port = Number(process.env['PORT'] ?? 4001)

createServer(host).listen(port, '127.0.0.1', () => {
  console.log(`The host answers POST http://127.0.0.1:${port}/session.`)
})
