#!/usr/bin/env node
// The program `posthorn`. Plain JavaScript, so that an old version of Node can print the message below.
import module from 'node:module'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`posthorn needs Node 24 or newer; this is ${process.version}.`)
  process.exit(1)
}
// Caches compiled code, with types stripped, between runs: later starts are faster.
module.enableCompileCache()
// A clone runs its TypeScript directly. Node strips no types in node_modules, so an installed package has them compiled to JavaScript.
const installed = import.meta.url.includes('/node_modules/')
await import(installed ? './src/cli/main.js' : '../../src/cli/main.ts')
