import module from 'node:module'
import { fileURLToPath } from 'node:url'
import v8 from 'node:v8'

/**
 * How the program is compiled; called before any of it is imported.
 *
 * V8 gives a function to its last compiler after 3,000 calls, and there are hundreds of them on the way of a delivery. In
 * the first seconds that compiler took a tenth of two processors from the work that it was to make quicker. After ten
 * times as many calls, 20,000 deliveries that are drained by a fresh process take 5 % less time; those from 60,000 to
 * 100,000 take 3 % more, and later ones the same. A V8 that does not know the flag says so and goes on.
 *
 * What was compiled is kept between runs, with types already stripped, which saves much of the time to start. It is good
 * for a Node with the same flags only.
 */
export function prepareCompilation() {
  v8.setFlagsFromString('--invocation-count-for-turbofan=30000')
  module.enableCompileCache(
    fileURLToPath(new URL('../../node_modules/.cache/posthorn', import.meta.url)),
  )
}
