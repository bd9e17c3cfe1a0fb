import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import type { sign, verify } from '../../src/receiver/index.ts'
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
