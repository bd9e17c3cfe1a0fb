import { readFileSync } from 'node:fs'
import path from 'node:path'
import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'
import { sectionsOf } from './pages/order.ts'
import { ROOT } from './pages/page.ts'
import { siteOf } from './pages/site.ts'

const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
const { base, repository, pages } = siteOf(process.env)

/** A page that is alone in its section needs no label. */
const sidebar = sectionsOf(pages).map(({ label, pages }) => {
  const items = pages.map(({ path }) => path)
  return items.length === 1 ? (items[0] as string) : { label, items }
})

export default defineConfig({
  base: base || '/',
  trailingSlash: 'always',
  outDir: process.env['DOCS_OUT'] ?? '../../dist/docs',
  vite: {
    define: { 'import.meta.env.POSTHORN_VERSION': JSON.stringify(version) },
    // A script in a file of its own needs no exception of the Content-Security-Policy.
    build: { assetsInlineLimit: 0 },
  },
  // As wide as the text, and twice that for dense screens.
  image: { layout: 'constrained', breakpoints: [656, 1312], responsiveStyles: true },
  devToolbar: { enabled: false },
  integrations: [
    starlight({
      title: 'Posthorn',
      favicon: '/posthorn.svg',
      logo: { src: './src/posthorn.svg', alt: '' },
      customCss: ['./src/styles/theme.css'],
      components: {
        Footer: './src/components/footer.astro',
        Search: './src/components/search.astro',
        PageTitle: './src/components/page-title.astro',
      },
      sidebar,
      ...(repository !== null && { editLink: { baseUrl: `${repository}/` } }),
      markdown: { processedDirs: ['../../docs', './.generated'] },
      expressiveCode: {
        // No grammar of this language is bundled; that of nginx is near.
        shiki: { langAlias: { caddyfile: 'nginx' } },
        themes: ['github-dark-default', 'github-light-default'],
        defaultProps: { frame: 'none' },
        styleOverrides: {
          borderRadius: '0.5rem',
          borderColor: 'var(--sl-color-hairline)',
          codeBackground: 'var(--posthorn-sunken)',
        },
      },
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
    }),
  ],
})
