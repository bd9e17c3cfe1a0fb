import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'
import starlightOpenAPI, { openAPISidebarGroups } from 'starlight-openapi'
import { BASE, REST, ROOT } from './site.ts'

const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))

/** The paths of the pages, which `build.ts` writes in their order. */
const pages: string[] = JSON.parse(readFileSync('.generated/pages.json', 'utf8'))

/** Not encoded: the plugin encodes a path with a space twice. */
const schema = decodeURI(pathToFileURL(path.resolve('.generated/openapi.json')).href)

const section = (label: string, ...folders: readonly string[]) => ({
  label,
  items: pages.filter((page) => folders.includes(page.split('/')[0] as string)),
})

export default defineConfig({
  base: BASE,
  trailingSlash: 'always',
  outDir: '../../dist/docs.unfinished',
  vite: {
    define: { 'import.meta.env.POSTHORN_VERSION': JSON.stringify(version) },
    // A script in a file of its own needs no exception of the Content-Security-Policy.
    build: { assetsInlineLimit: 0 },
  },
  devToolbar: { enabled: false },
  integrations: [
    starlight({
      title: 'Posthorn',
      favicon: '/posthorn.svg',
      logo: { src: './public/posthorn.svg', alt: '' },
      customCss: ['./src/theme.css'],
      components: { Footer: './src/footer.astro' },
      plugins: [starlightOpenAPI([{ base: REST, schema, sidebar: { label: 'REST' } }])],
      sidebar: [
        section('Start', 'start'),
        section('Concepts', 'concepts'),
        section('Guides', 'guides'),
        section('Operate', 'operate'),
        section('Security and data', 'security', 'data'),
        'compare',
        { label: 'Reference', items: [...openAPISidebarGroups, ...section('', 'reference').items] },
      ],
      // Otherwise the longest pages, those of the reference, come first for almost every word.
      pagefind: { ranking: { pageLength: 0.9, termFrequency: 0.9 } },
      markdown: { processedDirs: ['.generated'] },
    }),
  ],
})
