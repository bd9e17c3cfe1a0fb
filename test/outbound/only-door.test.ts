import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const configuration = createRequire(import.meta.url)('../../.dependency-cruiser.cjs')

/** The modules of Node that can connect to something. */
const SOCKET_MODULES = ['net', 'tls', 'http', 'https', 'http2', 'dgram', 'dns', 'dns/promises']

const DOOR = 'only-outbound-opens-sockets'

/** A line that someone may write one day in src/deliveries, and the rule that says no. */
const PLANTED: [line: string, rule: string][] = [
  ...SOCKET_MODULES.flatMap((name): [string, string][] => [
    [`import * as m from 'node:${name}'`, DOOR],
    [`import * as m from '${name}'`, DOOR],
    [`const m = await import('node:${name}')`, DOOR],
  ]),
  ["import { Agent } from 'undici'", 'only-outbound-uses-undici'],
  ["export { request } from 'undici'", 'only-outbound-uses-undici'],
  ["import '../../node_modules/undici/index.js'", 'only-outbound-uses-undici'],
  ["import axios from 'axios'", 'packages-are-known-to-open-no-sockets'],
  ["import ws from 'ws'", 'packages-are-known-to-open-no-sockets'],
  ["import { spawn } from 'node:child_process'", 'only-db-starts-programs'],
  ["import { Worker } from 'node:worker_threads'", 'only-db-starts-programs'],
]

describe('outside of src/outbound', () => {
  let found: Map<string, string[]>

  beforeAll(async () => {
    const directory = await plant(PLANTED.map(([line]) => line))
    try {
      const { output } = await cruise(['src'], {
        ...configuration.options,
        tsConfig: undefined,
        baseDir: directory,
        validate: true,
        ruleSet: configuration,
      })
      found = new Map()
      for (const { rule, from } of (output as ICruiseResult).summary.violations) {
        found.set(from, [...(found.get(from) ?? []), rule.name])
      }
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  test.each(PLANTED.map(([line, rule], index) => ({ line, rule, index })))(
    'the architecture refuses: $line',
    ({ rule, index }) => {
      expect(found.get(`src/deliveries/planted-${index}.ts`)).toContain(rule)
    },
  )

  test('the same lines are let through inside it, but for strange packages and programs', () => {
    const inside = [...found].filter(([from]) => from.startsWith('src/outbound/'))
    expect(new Set(inside.flatMap(([, rules]) => rules))).toEqual(
      new Set(['packages-are-known-to-open-no-sockets', 'only-db-starts-programs']),
    )
  })

  test.each(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'])(
    'the linter refuses the global %s',
    async (name) => {
      expect(await lint(`export const used = ${name}`, 'src/deliveries')).toContain(
        'noRestrictedGlobals',
      )
      expect(await lint(`export const used = ${name}`, 'src/outbound')).not.toContain(
        'noRestrictedGlobals',
      )
    },
  )

  test('no source takes a way around both', async () => {
    const around: string[] = []
    for (const file of await sourcesOutside()) {
      if (AROUND.test(await readFile(path.join(ROOT, file), 'utf8'))) around.push(file)
    }
    // It loads the package with the Postgres of the platform.
    expect(around).toEqual(['src/db/embedded/binaries.ts'])
    for (const line of [
      "globalThis.fetch('https://example.com')",
      "globalThis['fetch']",
      "process.getBuiltinModule('net')",
      "process.binding('tcp_wrap')",
      "require('node:net')",
      'await import(name)',
    ]) {
      expect(line).toMatch(AROUND)
    }
  })

  test('the excepted files take types, tables, what listens and the sockets to Postgres, and nothing else that connects', async () => {
    const imports: string[] = []
    for (const file of await sourcesOutside()) {
      const text = await readFile(path.join(ROOT, file), 'utf8')
      for (const [, names = '', module = ''] of text.matchAll(IMPORT)) {
        if (!SOCKET_MODULES.includes(module.replace('node:', ''))) continue
        if (!names.startsWith('type ')) imports.push(`${file}: ${names} from ${module}`)
      }
    }
    expect(imports.sort()).toEqual([
      'src/cli/listen/format-delivery.ts: { STATUS_CODES } from node:http',
      'src/cli/listen/https-receiver.ts: { createServer } from node:https',

      'src/db/embedded/server.ts: { createServer } from node:net',
      'src/db/owned-sockets.ts: { Socket } from node:net',
      'src/embedded/local-certificates.ts: { isIP } from node:net',
    ])
  })
})

/** A tree like ours, whose files in src/deliveries and src/outbound hold a line each. */
async function plant(lines: readonly string[]): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthorn-planted-'))
  await writeFile(path.join(directory, 'package.json'), '{ "type": "module" }')
  for (const name of ['undici', 'ws']) {
    const home = path.join(directory, 'node_modules', name)
    await mkdir(home, { recursive: true })
    await writeFile(path.join(home, 'package.json'), `{ "name": "${name}", "main": "index.js" }`)
    await writeFile(path.join(home, 'index.js'), '')
  }
  for (const folder of ['src/deliveries', 'src/outbound']) {
    await mkdir(path.join(directory, folder), { recursive: true })
    for (const [index, line] of lines.entries()) {
      await writeFile(path.join(directory, folder, `planted-${index}.ts`), `${line}\n`)
    }
  }
  return directory
}

/** What the linter says of a file with this text, in a tree of its own with our settings. */
async function lint(text: string, folder: string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthorn-lint-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await copyFile(path.join(ROOT, 'biome.json'), path.join(directory, 'biome.json'))
  await mkdir(path.join(directory, folder), { recursive: true })
  await writeFile(path.join(directory, folder, 'planted.ts'), `${text}\n`)
  return new Promise((resolve) => {
    const biome = path.join(ROOT, 'node_modules/.bin/biome')
    execFile(biome, ['lint', '--vcs-enabled=false', '.'], { cwd: directory }, (_, out, err) => {
      resolve(out + err)
    })
  })
}

async function sourcesOutside(): Promise<string[]> {
  const files = await readdir(path.join(ROOT, 'src'), { recursive: true })
  return files
    .filter((file) => file.endsWith('.ts') && !/^outbound\/|generated\/|planted-/.test(file))
    .map((file) => `src/${file}`)
}

const AROUND =
  /\b(globalThis|window|self)\s*(\?\.|\.|\[)\s*['"]?(fetch|WebSocket|EventSource)|getBuiltinModule|process\.binding|(?<![.\w])require\(|\bimport\((?!['"])/

const IMPORT = /^import ((?:type )?[^'"]*?) from '([^']+)'/gm
