import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { workerData } from 'node:worker_threads'

/*
 * For `node --import`: writes the name of each package that a thread loads into a file of the thread, in the folder
 * RECORD_PACKAGES_IN.
 */
const file = path.join(process.env['RECORD_PACKAGES_IN'] as string, workerData?.role ?? 'main')
const seen = new Set<string>()

registerHooks({
  load(url, context, nextLoad) {
    const name = [...url.matchAll(/[/]node_modules[/]((?:@[^/]+[/])?[^/]+)/g)].at(-1)?.[1]
    if (name !== undefined && !seen.has(name)) {
      seen.add(name)
      appendFileSync(file, `${name}\n`)
    }
    return nextLoad(url, context)
  },
})
