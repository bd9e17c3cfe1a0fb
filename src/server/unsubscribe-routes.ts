import { type Context, Hono } from 'hono'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { readUnsubscribeToken, unsubscribe } from '../notices/unsubscribe.ts'

interface UnsubscribeDeps {
  readonly prisma: PrismaClient
  readonly keyring: Keyring
}

/** A page with a button, since programs follow links in mails; and the button's POST, which mail clients send too (RFC 8058). */
export function createUnsubscribeRoutes({ prisma, keyring }: UnsubscribeDeps): Hono {
  const routes = new Hono()
  const addressOf = (c: Context) => readUnsubscribeToken(keyring, c.req.query('token') ?? '')
  routes.get('/', (c) => {
    if (addressOf(c) === null) return page(c, NOT_VALID, 404)
    return page(
      c,
      '<p>Get no more notices by e-mail?</p><form method="post"><button>Unsubscribe</button></form>',
    )
  })
  routes.post('/', async (c) => {
    const address = addressOf(c)
    if (address === null) return page(c, NOT_VALID, 404)
    await unsubscribe(prisma, address)
    return page(c, '<p>You get no more notices at this address.</p>')
  })
  return routes
}

const NOT_VALID =
  '<p>This link is not valid. Ask the sender of the mail to remove your address.</p>'

function page(c: Context, body: string, status: 200 | 404 = 200) {
  c.header('cache-control', 'no-store')
  c.header(
    'content-security-policy',
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  )
  c.header('referrer-policy', 'no-referrer')
  return c.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Notices of Posthorn</title><h1>Notices of Posthorn</h1>${body}</html>`,
    status,
  )
}
