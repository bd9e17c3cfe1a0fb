import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { expect, test } from 'vitest'

const configuration = createRequire(import.meta.url)('../.dependency-cruiser.cjs')
const ROOT = fileURLToPath(new URL('..', import.meta.url))

test('imports point one way, and the checker saw every file', async () => {
  const { output } = await cruise(
    ['src'],
    { ...configuration.options, baseDir: ROOT, validate: true, ruleSet: configuration },
    undefined,
    { tsConfig: extractTSConfig(`${ROOT}tsconfig.json`) },
  )
  const { summary, modules } = output as ICruiseResult
  expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual(
    [],
  )

  // Without the compiler it needs, the checker sees nothing and finds nothing wrong.
  const files = (await readdir(`${ROOT}src`, { recursive: true })).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('generated'),
  )
  const seen = new Set(modules.map((module) => module.source))
  expect(files.map((file) => `src/${file}`).filter((file) => !seen.has(file))).toEqual([])
})
