#!/usr/bin/env node
// The program `posthorn`. Plain JavaScript, so that a Node too old for the rest can still say so.
import module from 'node:module'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`posthorn needs Node 24 or newer; this is ${process.version}.`)
  process.exit(1)
}
// Keeps what is compiled, with types already stripped, between runs: the second start is quicker.
module.enableCompileCache()
// A clone runs its TypeScript as it is; Node strips no types below node_modules, where the compiled files are.
const installed = import.meta.url.includes('/node_modules/')
await import(installed ? '../../dist/cli/main.js' : './main.ts')
