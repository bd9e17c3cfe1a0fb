import type { Site } from './addresses.ts'
import { readPages } from './page.ts'

/** The site that a build makes. `build.ts` passes its options to the build by the environment. */
export function siteOf(environment: NodeJS.ProcessEnv): Site {
  return {
    base: environment['DOCS_BASE'] ?? '/docs',
    repository: environment['DOCS_REPOSITORY'] || null,
    pages: readPages(),
  }
}
