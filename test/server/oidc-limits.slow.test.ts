import { beforeEach, describe, expect, test } from 'vitest'
import { MAX_AUTH_FAILURES } from '../../src/auth/access/rate-limit.ts'
import { MAX_SIGN_IN_REQUESTS } from '../../src/server/oidc-routes.ts'
import type { OidcProvider } from '../oidc-provider/oidc-provider.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { prepareOidc, START, signInAs } from './oidc-browser.ts'

/** What a stranger can make Posthorn do: call the provider, and write to the log. */
let provider: OidcProvider
let posthorn: PosthornProcess
let url: string

describe('with an OpenID provider', await requirePackages('test/oidc-provider'), () => {
  beforeEach(async () => {
    const installation = await prepareOidc(['webhooks:read'])
    const { environment } = installation
    ;({ provider, url } = installation)
    posthorn = startPosthorn(['start', '--role', 'api'], { environment })
    await logLine(posthorn, { msg: 'ready' })
    return async () => {
      await posthorn[Symbol.asyncDispose]()
      await installation[Symbol.asyncDispose]()
    }
  })

  const failed = (failure: string) => `/console/sign-in?failed=${failure}`
  const failureLines = () => logLines(posthorn).filter(({ failure }) => failure !== undefined)

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
    const led = await Promise.all(Array.from({ length: MAX_SIGN_IN_REQUESTS + 20 }, begin))
    const started = led.filter((at) => at.startsWith(provider.issuer))
    expect(started.length).toBeGreaterThanOrEqual(MAX_SIGN_IN_REQUESTS)
    expect(new Set(led.filter((at) => !started.includes(at)))).toEqual(new Set([failed('limited')]))
    expect(failureLines()).toEqual([])
  })
})
