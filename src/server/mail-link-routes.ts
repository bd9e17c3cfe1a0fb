import { type Context, Hono } from 'hono'
import type { Keyring } from '../auth/encryption/keyring.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import {
  followMailLink,
  type LinkAction,
  linkPath,
  readMailLink,
} from '../health/alerts/mail-link.ts'

const TEXTS = {
  confirm: {
    question: 'Get alerts about webhooks at this address?',
    button: 'Confirm',
    done: 'This address is confirmed. Each mail has a link to unsubscribe.',
  },
  unsubscribe: {
    question: 'Get no more alerts by e-mail?',
    button: 'Unsubscribe',
    done: 'You get no more alerts at this address.',
  },
} as const

const NOT_VALID =
  '<p>This link is not valid, or has expired. Ask those who entered your address.</p>'

/**
 * The links in mails: pages with a button, since programs follow links in mails. Only the POST of the button changes
 * anything; that to unsubscribe is also sent by mail clients (RFC 8058).
 */
export function createMailLinkRoutes(prisma: PrismaClient, keyring: Keyring): Hono {
  const routes = new Hono()
  for (const action of ['confirm', 'unsubscribe'] as const satisfies LinkAction[]) {
    const { question, button, done } = TEXTS[action]
    const addressIn = (c: Context) => readMailLink(keyring, action, c.req.query('token') ?? '')
    routes.get(linkPath(action), (c) => {
      if (addressIn(c) === null) return page(c, NOT_VALID, 404)
      return page(c, `<p>${question}</p><form method="post"><button>${button}</button></form>`)
    })
    routes.post(linkPath(action), async (c) => {
      const address = addressIn(c)
      const isDone = address !== null && (await followMailLink(prisma, action, address))
      return isDone ? page(c, `<p>${done}</p>`) : page(c, NOT_VALID, 404)
    })
  }
  return routes
}

function page(c: Context, body: string, status: 200 | 404 = 200) {
  c.header('cache-control', 'no-store')
  c.header(
    'content-security-policy',
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  )
  c.header('referrer-policy', 'no-referrer')
  return c.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Alerts of Posthorn</title><h1>Alerts of Posthorn</h1>${body}</html>`,
    status,
  )
}
