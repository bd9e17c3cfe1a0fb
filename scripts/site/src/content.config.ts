import { defineCollection } from 'astro:content'
import { docsSchema } from '@astrojs/starlight/schema'
import { glob } from 'astro/loaders'

/** `build.ts` writes the pages. */
const loader = glob({ base: '.generated', pattern: '**/*.md' })

export const collections = { docs: defineCollection({ loader, schema: docsSchema() }) }
