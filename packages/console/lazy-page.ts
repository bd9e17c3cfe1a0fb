import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { PageContext } from './api/page-query.ts'
import type { PreloadRequest } from './api/preload.ts'

type Script = Promise<{ default: ComponentType }>

/** A page whose script is loaded when the page is first opened, together with its data. */
export interface LazyPage {
  readonly Page: LazyExoticComponent<ComponentType>
  readonly queries: readonly { requestFor(page: PageContext): PreloadRequest | null }[]
  /** The scope that the page needs, and its title for viewers without it. */
  readonly needs: { readonly scope: string; readonly title: string } | undefined
  /** Whether the script is there, so that the page asks for its data itself. */
  isLoaded(): boolean
  /** Loads the script. */
  load(): Script
}

export function lazyPage(
  load: () => Script,
  queries: LazyPage['queries'] = [],
  needs?: LazyPage['needs'],
): LazyPage {
  let script: Script | null = null
  let loaded = false
  function loadOnce(): Script {
    script ??= load().then(
      (module) => {
        loaded = true
        return module
      },
      (error) => {
        // The next attempt may succeed.
        script = null
        throw error
      },
    )
    return script
  }
  return { Page: lazy(loadOnce), queries, needs, isLoaded: () => loaded, load: loadOnce }
}
