import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Generates the Prisma client and the types that Pothos reads. It runs after `npm ci` and must not need the network:
 * `prisma generate` would download a schema engine that it does not use, and accepts any executable instead.
 */
const bin = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url))
const prisma = fileURLToPath(new URL('../../node_modules/prisma/build/index.js', import.meta.url))

if (existsSync(prisma)) {
  rmSync(new URL('./generated', import.meta.url), { recursive: true, force: true })
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [prisma, 'generate', '--no-hints'],
    {
      env: {
        ...process.env,
        PATH: `${bin}${path.delimiter}${process.env['PATH']}`,
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      },
      encoding: 'utf8',
    },
  )
  if (status !== 0) {
    process.stderr.write(stdout + stderr)
    process.exit(1)
  }
}
