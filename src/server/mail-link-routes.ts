import { type Context, Hono } from 'hono'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { CONFIRM_PATH, confirmAddress, readConfirmToken } from '../notices/confirm-address.ts'
import { readUnsubscribeToken, UNSUBSCRIBE_PATH, unsubscribe } from '../notices/unsubscribe.ts'

interface MailLinkDeps {
  readonly prisma: PrismaClient
  readonly keyring: Keyring
}

/** The links in mails. The POST to unsubscribe is also sent by mail clients (RFC 8058). */
export function createMailLinkRoutes({ prisma, keyring }: MailLinkDeps): Hono {
  const routes = new Hono()
  routes.route(
    CONFIRM_PATH,
    createButtonPage({
      addressOf: (token) => readConfirmToken(keyring, token),
      question: 'Get notices about webhooks at this address?',
      button: 'Confirm',
      press: (address) => confirmAddress(prisma, address),
      done: 'This address is confirmed. Each mail has a link to unsubscribe.',
      notValid:
        'This link is not valid, or has expired. Ask those who entered your address for another one.',
    }),
  )
  routes.route(
    UNSUBSCRIBE_PATH,
    createButtonPage({
      addressOf: (token) => readUnsubscribeToken(keyring, token),
      question: 'Get no more notices by e-mail?',
      button: 'Unsubscribe',
      press: async (address) => {
        await unsubscribe(prisma, address)
        return true
      },
      done: 'You get no more notices at this address.',
      notValid: 'This link is not valid. Ask the sender of the mail to remove your address.',
    }),
  )
  return routes
}

interface ButtonPage {
  /** The uuid of the address in a token, or null. */
  addressOf(token: string): string | null
  readonly question: string
  readonly button: string
  /** False: there is no such address. */
  press(addressUuid: string): Promise<boolean>
  readonly done: string
  readonly notValid: string
}

/** A page with a button, since programs follow links in mails: only the POST of the button changes anything. */
function createButtonPage({ addressOf, question, button, press, done, notValid }: ButtonPage) {
  const routes = new Hono()
  const addressIn = (c: Context) => addressOf(c.req.query('token') ?? '')
  routes.get('/', (c) => {
    if (addressIn(c) === null) return page(c, `<p>${notValid}</p>`, 404)
    return page(c, `<p>${question}</p><form method="post"><button>${button}</button></form>`)
  })
  routes.post('/', async (c) => {
    const address = addressIn(c)
    if (address === null || !(await press(address))) return page(c, `<p>${notValid}</p>`, 404)
    return page(c, `<p>${done}</p>`)
  })
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
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Notices of Posthorn</title><h1>Notices of Posthorn</h1>${body}</html>`,
    status,
  )
}
