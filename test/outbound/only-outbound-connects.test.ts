import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The modules of Node that can open connections. */
const SOCKET_MODULES = ['net', 'tls', 'http', 'https', 'http2', 'dgram', 'dns', 'dns/promises']

describe('outside of src/outbound', () => {
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
        const imported = names.replaceAll(/\s+/g, ' ').replaceAll(/,? type \w+,?/g, '')
        if (!/^type |^\{ *\}$/.test(imported)) imports.push(`${file}: ${imported} from ${module}`)
      }
    }
    expect(imports.sort()).toEqual([
      'src/cli/listen/format-delivery.ts: { STATUS_CODES } from node:http',
      'src/cli/listen/send-local.ts: { lookup } from node:dns',
      'src/cli/listen/send-local.ts: { request as requestHttp } from node:http',
      'src/cli/listen/send-local.ts: { request as requestHttps } from node:https',
      'src/db/embedded/server.ts: { createServer } from node:net',
      'src/db/pools.ts: { Socket } from node:net',
      'src/http/https-receiver.ts: { createServer } from node:https',
      'src/server/http-server.ts: { createServer } from node:http',
    ])
  })
})

async function sourcesOutside(): Promise<string[]> {
  const files = await readdir(path.join(ROOT, 'src'), { recursive: true })
  return files
    .filter((file) => file.endsWith('.ts') && !/^outbound\/|generated\/|planted-/.test(file))
    .map((file) => `src/${file}`)
}

const BYPASS =
  /\b(globalThis|window|self)\s*(\?\.|\.|\[)\s*['"]?(fetch|WebSocket|EventSource)|getBuiltinModule|process\.binding|(?<![.\w])require\(|\bimport\((?!\s*['"])/

const IMPORT = /^import ((?:type )?[^'"]*?) from '([^']+)'/gm
