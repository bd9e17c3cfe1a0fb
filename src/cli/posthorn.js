#!/usr/bin/env -S node --v8-pool-size=1 --max-semi-space-size=16 --heap-growing-percent=100
// The program `posthorn`. Plain JavaScript, so that a Node too old for the rest can still say so.
// V8 has one thread beside the main one, to compile and to collect garbage. Its four took the processors from the main
// thread when much was compiled at once: at 1,000 events a second on two, p99 was 140 ms instead of 92.
// The other flags keep the heap small under load: 20,000 deliveries peak at 250 MB instead of 400, and are not slower. At
// half of both it was 215 MB, and each delivery took the worker 15 % more processor time.
import { prepareCompilation } from './compilation.js'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`posthorn needs Node 24 or newer; this is ${process.version}.`)
  process.exit(1)
}
prepareCompilation()
// A clone runs its TypeScript as it is; Node strips no types below node_modules, where the compiled files are.
const installed = import.meta.url.includes('/node_modules/')
await import(installed ? '../../dist/cli/main.js' : './main.ts')
