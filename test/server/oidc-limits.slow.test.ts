import { beforeEach, describe, expect, test } from 'vitest'
import { MAX_AUTH_FAILURES } from '../../src/auth/rate-limit/keyed-limiter.ts'
import type { Database } from '../../src/db/client.ts'
import { deleteOldRows } from '../../src/run/maintenance.ts'
import { MAX_STARTED_SIGN_INS } from '../../src/server/oidc-routes.ts'
import type { OidcProvider } from '../oidc-provider/oidc-provider.ts'
import { freePort } from '../support/free-port.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { openOidcBrowser, prepareOidc, START, signInAs } from './oidc-browser.ts'

/** What a stranger can make Posthorn do: call the provider, and write to the log. */
let provider: OidcProvider
let database: Database
let posthorn: PosthornProcess
let url: string
let start: (environment?: Record<string, string>) => Promise<PosthornProcess & { url: string }>

describe('with an OpenID provider', await requirePackages('test/oidc-provider'), () => {
  beforeEach(async () => {
    const installation = await prepareOidc(['webhooks:read'])
    const { environment } = installation
    ;({ provider, database, url } = installation)
    const running: PosthornProcess[] = []
    start = async (changes = {}) => {
      const used = { ...environment, ...changes }
      const started = startPosthorn(['start', '--role', 'api'], { environment: used })
      running.push(started)
      await logLine(started, { msg: 'ready' })
      return Object.assign(started, { url: `http://127.0.0.1:${used['PORT']}` })
    }
    posthorn = await start()
    return async () => {
      await Promise.all(running.map((each) => each[Symbol.asyncDispose]()))
      await installation[Symbol.asyncDispose]()
    }
  })

  const failed = (failure: string) => `/console/sign-in?failed=${failure}`
  const tokenRequests = () => provider.requests.filter((path) => path === '/token')
  const failureLines = () => logLines(posthorn).filter(({ failure }) => failure !== undefined)

  test('a state makes Posthorn call the provider once, in every process', async () => {
    const other = await start({ PORT: String(await freePort()) })
    const browser = openOidcBrowser(url, provider)
    const callback = new URL(await browser.choose(await browser.start(), 'operator'))
    const cookie = `posthorn_oidc=${browser.jar.get('posthorn_oidc')}`
    callback.searchParams.set('code', 'guessed')
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const at = new URL(callback.pathname + callback.search, i % 2 === 0 ? url : other.url)
        const response = await fetch(at, { headers: { cookie }, redirect: 'manual' })
        return response.headers.get('location')
      }),
    )
    expect(answers).toEqual(Array(10).fill(failed('expired')))
    expect(tokenRequests()).toHaveLength(1)

    // The state is kept as long as the cookie is valid.
    const states = () => database.prisma.usedSignInState.count()
    await deleteOldRows(database.pool, 'sessions')
    expect(await states()).toBe(1)
    await database.pool.query('update posthorn.used_sign_in_states set expires_at = now()')
    await deleteOldRows(database.pool, 'sessions')
    expect(await states()).toBe(0)
  })

  test('the failures of an address are logged in one line each, up to a limit, and a sign-in still succeeds', async () => {
    const callback = `${url}${START}/callback?code=guessed`
    const fails = async () =>
      (await fetch(callback, { redirect: 'manual' })).headers.get('location')
    const landed = await Promise.all(Array.from({ length: MAX_AUTH_FAILURES + 20 }, fails))
    const logged = landed.filter((path) => path === failed('expired'))
    expect(logged.length).toBeGreaterThanOrEqual(MAX_AUTH_FAILURES)
    expect(landed).toContain(failed('limited'))
    await until(() => failureLines().length >= logged.length, 'the failures are logged')
    expect((await signInAs(url, provider, 'operator')).landed).toBe('/console')
    expect(failureLines()).toHaveLength(logged.length)
  })

  test('an address can start a limited number of sign-ins', async () => {
    const begin = async () =>
      (await fetch(url + START, { redirect: 'manual' })).headers.get('location') ?? ''
    const led = await Promise.all(Array.from({ length: MAX_STARTED_SIGN_INS + 20 }, begin))
    const started = led.filter((at) => at.startsWith(provider.issuer))
    expect(started.length).toBeGreaterThanOrEqual(MAX_STARTED_SIGN_INS)
    expect(new Set(led.filter((at) => !started.includes(at)))).toEqual(new Set([failed('limited')]))
    expect(failureLines()).toEqual([])
  })
})
