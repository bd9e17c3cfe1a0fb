import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { cruiseSources } from '../architecture/architecture.ts'
import { requirePackages } from '../support/installed-packages.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The modules of Node that can open connections. */
const SOCKET_MODULES = ['net', 'tls', 'http', 'https', 'http2', 'dgram', 'dns', 'dns/promises']

const SOCKET_RULE = 'only-outbound-opens-sockets'

/** Lines that a change could add to src/deliveries, and the rule that rejects each. */
const PLANTED: [line: string, rule: string][] = [
  ...SOCKET_MODULES.flatMap((name): [string, string][] => [
    [`import * as m from 'node:${name}'`, SOCKET_RULE],
    [`import * as m from '${name}'`, SOCKET_RULE],
    [`const m = await import('node:${name}')`, SOCKET_RULE],
  ]),
  ["import { Agent } from 'undici'", 'only-outbound-uses-undici'],
  ["export { request } from 'undici'", 'only-outbound-uses-undici'],
  ["import '../../node_modules/undici/index.js'", 'only-outbound-uses-undici'],
  ["import axios from 'axios'", 'packages-are-known-to-open-no-sockets'],
  ["import ws from 'ws'", 'packages-are-known-to-open-no-sockets'],
  ["import { spawn } from 'node:child_process'", 'only-db-starts-programs'],
  ["import { Worker } from 'node:worker_threads'", 'only-run-starts-threads'],
]

const checkerInstalled = await requirePackages('test/architecture')

describe('outside of src/outbound', () => {
  describe('the architecture rules', checkerInstalled, () => {
    let found: Map<string, string[]>

    beforeAll(async () => {
      const directory = await plant(PLANTED.map(([line]) => line))
      try {
        const { summary } = await cruiseSources(['src'], directory)
        found = new Map()
        for (const { rule, from } of summary.violations) {
          found.set(from, [...(found.get(from) ?? []), rule.name])
        }
      } finally {
        await rm(directory, { recursive: true })
      }
    })

    test.each(PLANTED.map(([line, rule], index) => ({ line, rule, index })))(
      'reject: $line',
      ({ rule, index }) => {
        expect(found.get(`src/deliveries/planted-${index}.ts`)).toContain(rule)
      },
    )

    test('allow the same lines inside it, except unknown packages, child processes and threads', () => {
      const inside = [...found].filter(([from]) => from.startsWith('src/outbound/'))
      expect(new Set(inside.flatMap(([, rules]) => rules))).toEqual(
        new Set([
          'packages-are-known-to-open-no-sockets',
          'only-db-starts-programs',
          'only-run-starts-threads',
        ]),
      )
    })
  })

  test.each(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'])(
    'the linter rejects the global %s',
    async (name) => {
      expect(await lint(`export const used = ${name}`, 'src/deliveries')).toContain(
        'noRestrictedGlobals',
      )
      expect(await lint(`export const used = ${name}`, 'src/outbound')).not.toContain(
        'noRestrictedGlobals',
      )
    },
  )

  test('no source file bypasses the rules and the linter', async () => {
    const bypassing: string[] = []
    for (const file of await sourcesOutside()) {
      if (BYPASS.test(await readFile(path.join(ROOT, file), 'utf8'))) bypassing.push(file)
    }
    // This file imports the package with the Postgres binaries of the platform.
    expect(bypassing).toEqual(['src/db/embedded/binaries.ts'])
    for (const line of [
      "globalThis.fetch('https://example.com')",
      "globalThis['fetch']",
      "process.getBuiltinModule('net')",
      "process.binding('tcp_wrap')",
      "require('node:net')",
      'await import(name)',
    ]) {
      expect(line).toMatch(BYPASS)
    }
  })

  test('the exempt files import nothing that connects, except the sockets to Postgres', async () => {
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
      'src/cli/listen/forward/send-local.ts: { request as requestHttps } from node:https',
      'src/cli/listen/forward/send-local.ts: { type IncomingMessage, request as requestHttp } from node:http',
      'src/db/embedded/server.ts: { createServer } from node:net',
      'src/db/owned-sockets.ts: { Socket } from node:net',
      'src/embedded/local-certificates.ts: { isIP } from node:net',
      'src/http/https-receiver.ts: { createServer } from node:https',
      'src/server/free-port.ts: { createServer } from node:net',
    ])
  })
})

/** Creates a source tree with one file per line in src/deliveries and in src/outbound. */
async function plant(lines: readonly string[]): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'posthorn-planted-'))
  await writeFile(path.join(directory, 'package.json'), '{ "type": "module" }')
  for (const name of ['undici', 'ws']) {
    const module = path.join(directory, 'node_modules', name)
    await mkdir(module, { recursive: true })
    await writeFile(path.join(module, 'package.json'), `{ "name": "${name}", "main": "index.js" }`)
    await writeFile(path.join(module, 'index.js'), '')
  }
  for (const folder of ['src/deliveries', 'src/outbound']) {
    await mkdir(path.join(directory, folder), { recursive: true })
    for (const [index, line] of lines.entries()) {
      await writeFile(path.join(directory, folder, `planted-${index}.ts`), `${line}\n`)
    }
  }
  return directory
}

/** The linter's output for a file with this text, in a separate tree with the repository's settings. */
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

const BYPASS =
  /\b(globalThis|window|self)\s*(\?\.|\.|\[)\s*['"]?(fetch|WebSocket|EventSource)|getBuiltinModule|process\.binding|(?<![.\w])require\(|\bimport\((?!\s*['"])/

const IMPORT = /^import ((?:type )?[^'"]*?) from '([^']+)'/gm
