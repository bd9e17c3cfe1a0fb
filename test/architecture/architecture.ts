import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { ICruiseResult } from 'dependency-cruiser'
import { installPackages } from '../../scripts/install/install-packages.ts'

const configuration = createRequire(import.meta.url)('../../.dependency-cruiser.cjs')
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const SOURCES = ['src', 'packages/client/src', 'packages/receiver/src', 'packages/mcp']

export interface Architecture {
  /** Imports that break a rule of `.dependency-cruiser.cjs`. */
  readonly violations: string[]
  /** Source files that the checker did not parse, so that their imports were not checked. */
  readonly unseen: string[]
}

/** The imports of sources, compared with the rules. Their packages are installed by `requirePackages('test/architecture')`. */
export async function cruiseSources(
  sources: readonly string[],
  baseDir: string,
  tsConfigFile?: string,
): Promise<ICruiseResult> {
  const { cruise } = await import('dependency-cruiser')
  const { default: extractTSConfig } = await import(
    'dependency-cruiser/config-utl/extract-ts-config'
  )
  const { options } = configuration
  const { output } = await cruise(
    [...sources],
    {
      ...options,
      tsConfig: tsConfigFile && options.tsConfig,
      baseDir,
      validate: true,
      ruleSet: configuration,
    },
    undefined,
    tsConfigFile ? { tsConfig: extractTSConfig(tsConfigFile) } : undefined,
  )
  return output as ICruiseResult
}

export async function checkArchitecture(): Promise<Architecture> {
  const { summary, modules } = await cruiseSources(SOURCES, ROOT, `${ROOT}tsconfig.json`)
  const files: string[] = []
  for (const folder of SOURCES) {
    const names = await readdir(`${ROOT}${folder}`, { recursive: true })
    files.push(...names.map((name) => `${folder}/${name}`))
  }
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.includes('generated'))
  const seen = new Set(modules.map((module) => module.source))
  return {
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
    unseen: sources.filter((file) => !seen.has(file)),
  }
}

// `npm run lint` runs this file, because the command of dependency-cruiser prints a warning about TypeScript 7.
if (import.meta.main) {
  const missing = await installPackages(import.meta.dirname)
  if (missing !== null) throw new Error(missing)
  const { violations, unseen } = await checkArchitecture()
  for (const line of [...violations, ...unseen.map((file) => `not checked: ${file}`)]) {
    console.error(line)
  }
  process.exitCode = violations.length + unseen.length > 0 ? 1 : 0
}
