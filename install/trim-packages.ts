import { globSync, rmSync } from 'node:fs'
import path from 'node:path'

const MODULES = path.join(import.meta.dirname, '../node_modules')

/** What large packages bring that nothing here reads. npm can leave out packages, but no part of one. */
const UNREAD = [
  // The headers of Node, for addons in C: 67 MB.
  'node/node_modules/node-*/include',
  // Three of four builds of Monaco; the console is built from `esm`: 75 MB.
  'monaco-editor/{dev,min,min-maps}',
  // What Prisma compiles queries with, for other databases than Postgres: 75 MB.
  '{@prisma/client/runtime,prisma/build}/query_compiler_*.{cockroachdb,mysql,sqlite,sqlserver}.*',
]

/** `npm ci` and `npm install` run this file at their end. */
for (const at of globSync(UNREAD, { cwd: MODULES })) {
  rmSync(path.join(MODULES, at), { recursive: true, force: true })
}
