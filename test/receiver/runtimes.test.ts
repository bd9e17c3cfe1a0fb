import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createContext, runInContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { sign, verify } from '../../src/receiver/index.ts'
import { PUBLISHED, publishedHeaders, sentAt } from './signed-delivery.ts'

const { secret, body, id } = PUBLISHED
const entry = path.resolve(import.meta.dirname, '../../src/receiver/index.ts')

describe('the receiver only uses what every runtime has', () => {
  test('it imports nothing outside src/receiver: no node: module, no package and no types', () => {
    const { files, imports } = reachableFrom(entry)
    expect(files.map((file) => path.basename(file))).toContain('signature.ts')
    expect(files.map((file) => path.basename(file))).not.toContain('sign.ts')
    expect(files.length).toBeGreaterThanOrEqual(8)
    expect(imports.filter((specifier) => !/^\.\/[a-z-]+\.ts$/.test(specifier))).toEqual([])
  })

  test('it runs in a realm that only has Web Crypto, TextEncoder and base64', async () => {
    const realm = createContext({ crypto, TextEncoder, atob, btoa })
    const { files } = reachableFrom(entry)
    const script = files
      .filter((file) => file !== entry)
      .map(asScript)
      .join('\n')
    const bare = runInContext(`${script}; ({ verify, sign })`, realm) as {
      verify: typeof verify
      sign: typeof sign
    }
    expect(runInContext('[typeof process, typeof Buffer, typeof require]', realm)).toEqual(
      Array(3).fill('undefined'),
    )

    expect(await bare.sign(secret, id, sentAt(), body)).toBe(PUBLISHED.signature)
    const options = { now: sentAt() }
    expect(await bare.verify(body, publishedHeaders(), secret, options)).toMatchObject({ ok: true })
    expect(await bare.verify(`${body} `, publishedHeaders(), secret, options)).toMatchObject({
      reason: 'no-matching-signature',
    })
  })
})

describe('the documented examples answer 204 to an authentic delivery and 400 to a forged one', () => {
  async function genuineRequest(): Promise<RequestInit> {
    const sent = String(Math.floor(Date.now() / 1000))
    const signature = await sign(secret, id, sent, body)
    return {
      method: 'POST',
      body,
      headers: { 'wh-id': id, 'wh-timestamp': sent, 'wh-signature': signature },
    }
  }

  async function statuses(request: (init: RequestInit) => Response | Promise<Response>) {
    const genuine = await genuineRequest()
    const forged = { ...genuine, body: body.replace('2', '3') }
    return [(await request(genuine)).status, (await request(forged)).status]
  }

  test('node:http', async () => {
    const accepted: string[] = []
    const server = createServer(async (request, response) => {
      const received = await buffer(request)
      const delivery = await verify(received, request.headers, secret)
      if (!delivery.ok) return response.writeHead(400).end(delivery.reason)

      accepted.push(delivery.id)
      return response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      expect(await statuses((init) => fetch(`http://127.0.0.1:${port}/`, init))).toEqual([204, 400])
      expect(accepted).toEqual([id])
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

/** Every file that `file` imports, directly or indirectly, in order of dependency, and all their import specifiers. */
function reachableFrom(file: string, files: string[] = [], imports: string[] = []) {
  const source = readFileSync(file, 'utf8')
  // Type imports count too: the published declarations need them. The anchor to the start of the line excludes the
  // imports in documented examples (` * import …`).
  const specifiers = [
    ...source.matchAll(/^(?:import|export|\})[^'"=\n]*['"]([^'"]+)['"]/gm),
    ...source.matchAll(/^[^*\n]*\bimport\(\s*['"]([^'"]+)['"]/gm),
  ]
  for (const [, specifier = ''] of specifiers) {
    imports.push(specifier)
    const target = path.resolve(path.dirname(file), specifier)
    if (specifier.startsWith('.') && !files.includes(target)) reachableFrom(target, files, imports)
  }
  if (!files.includes(file)) files.push(file)
  return { files, imports }
}

/** The code of a module without imports and exports, for a realm that has no modules. */
function asScript(file: string): string {
  return stripTypeScriptTypes(readFileSync(file, 'utf8'))
    .replaceAll(/^import[^'"]*['"][^'"]+['"];?$/gm, '')
    .replaceAll(/^export (?=\b(?:async|function|class|const)\b)/gm, '')
}
