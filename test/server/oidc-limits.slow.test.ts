import { beforeEach, describe, expect, test } from 'vitest'
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

  const land = async (path: string) =>
    (await fetch(url + START + path, { redirect: 'manual' })).headers.get('location') ?? ''

  test('failures of an address are logged in one line each, and a sign-in still succeeds', async () => {
    const landed = await Promise.all(
      Array.from({ length: 40 }, () => land('/callback?code=guessed')),
    )
    expect(new Set(landed)).toEqual(new Set([failed('expired')]))
    await until(() => failureLines().length === landed.length, 'the failures are logged')
    expect((await signInAs(url, provider, 'operator')).landed).toBe('/console')
    expect(failureLines()).toHaveLength(landed.length)
  })

  test('an address can start a limited number of sign-ins, and the others have no line', async () => {
    const led = await Promise.all(Array.from({ length: MAX_SIGN_IN_REQUESTS + 20 }, () => land('')))
    const started = led.filter((at) => at.startsWith(provider.issuer))
    expect(started.length).toBeGreaterThanOrEqual(MAX_SIGN_IN_REQUESTS)
    expect(new Set(led.filter((at) => !started.includes(at)))).toEqual(new Set([failed('limited')]))
    expect(failureLines()).toEqual([])
  })
})
