import module from 'node:module'
import { prepareCompilation } from './compilation.js'

/**
 * Runs after `npm ci`: compiles the program into the cache that `posthorn.js` reads, so that the first start is as quick
 * and as small as the later ones. With the flags of `npm start`, as the cache is good for the same flags only.
 */
prepareCompilation()
await Promise.all([
  import('../app.ts'),
  import('../api.ts'),
  import('../runtime.ts'),
  import('./start.ts'),
  import('./listen.ts'),
])
module.flushCompileCache()
